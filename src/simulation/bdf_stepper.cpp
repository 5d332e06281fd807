// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Backward differences of CVODE, with error control. y is projected (System::finish) within their corrector. The estimate of its error is
// not, unlike that of Runge–Kutta rules: CVODE compares it with those of other orders, which are not projected either, and would choose its
// order badly. The state within a step is that of their own polynomial.                             [Hindmarsh et al. 2005]

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "simulation/stepper.hpp"

namespace trammel {
namespace {

std::span<double> numbers(N_Vector v) { return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))}; }

// A context, vectors, tolerances.
struct Sundials {
  SUNContext context = nullptr;
  N_Vector y = nullptr, tolerance = nullptr;

  Sundials(const System& system, double of_step) {
    if (SUNContext_Create(nullptr, &context) != 0) throw std::runtime_error("SUNDIALS gives no context");
    y = N_VNew_Serial(static_cast<sunindextype>(system.size()), context);
    tolerance = N_VClone(y);
    const std::vector<double> list = system.tolerances(of_step);
    std::copy(list.begin(), list.end(), numbers(tolerance).begin());
  }
  Sundials(const Sundials&) = delete;
  Sundials& operator=(const Sundials&) = delete;
  ~Sundials() {
    N_VDestroy(y);
    N_VDestroy(tolerance);
    SUNContext_Free(&context);
  }
};

void say_nothing(int, const char*, const char*, char*, void*) {}

int rates(double t, N_Vector y, N_Vector ydot, void* system) {
  const std::span<double> out = numbers(ydot);
  if (!static_cast<System*>(system)->derivative(t, numbers(y), out)) return 1;  // a shorter step may do
  return std::all_of(out.begin(), out.end(), [](double x) { return std::isfinite(x); }) ? 0 : 1;
}

int correction(double t, N_Vector y, N_Vector correction, double, N_Vector, void* system) {
  const std::span<double> now = numbers(y), out = numbers(correction);
  std::copy(now.begin(), now.end(), out.begin());
  static_cast<System*>(system)->finish(t, out);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= now[i];
  return 0;
}

class BdfStepper : public Stepper {
 public:
  BdfStepper(System& system, const SimulationOptions& options)
      : system_(system), options_(options), sundials_(system, options.tolerance) {
    y_.resize(system.size());
    within_ = N_VClone(sundials_.y);
  }
  ~BdfStepper() override {
    if (memory_ != nullptr) CVodeFree(&memory_);
    if (solver_ != nullptr) SUNLinSolFree(solver_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
    N_VDestroy(within_);
  }

  void start(double t, std::span<const double> y) override {
    std::copy(y.begin(), y.end(), y_.begin());
    std::copy(y.begin(), y.end(), numbers(sundials_.y).begin());
    t_ = t_before_ = t;
    failed_ = 0;
    began_at_ = t;
    steps_ = 0;
    if (memory_ != nullptr) {
      CVodeReInit(memory_, t, sundials_.y);
      return;
    }
    memory_ = CVodeCreate(CV_BDF, sundials_.context);
    if (memory_ == nullptr) throw std::runtime_error("CVODE cannot be started");
    CVodeInit(memory_, rates, t, sundials_.y);
    CVodeSetErrHandlerFn(memory_, say_nothing, nullptr);
    CVodeSetUserData(memory_, &system_);
    CVodeSVtolerances(memory_, options_.tolerance, sundials_.tolerance);
    const auto n = static_cast<sunindextype>(system_.size());
    matrix_ = SUNDenseMatrix(n, n, sundials_.context);
    solver_ = SUNLinSol_Dense(sundials_.y, matrix_, sundials_.context);
    CVodeSetLinearSolver(memory_, solver_, matrix_);
    CVodeSetMaxNumSteps(memory_, -1);
    if (options_.order > 0) CVodeSetMaxOrd(memory_, std::min(options_.order, 5));
    if (options_.step > 0) CVodeSetMaxStep(memory_, options_.step);
    if (system_.needs_finish()) {
      CVodeSetProjFn(memory_, correction);
      CVodeSetProjErrEst(memory_, SUNFALSE);
    }
  }

  StepOutcome step(double stop) override {
    t_before_ = t_;
    if (!(stop > t_)) return StepOutcome::ok;  // behind a jump in the last moment of a run
    CVodeSetStopTime(memory_, stop);
    ++steps_;
    const int flag = CVode(memory_, stop, sundials_.y, &t_, CV_ONE_STEP);
    long failed = 0;
    CVodeGetNumErrTestFails(memory_, &failed);
    rejected += static_cast<std::uint64_t>(failed - failed_);
    failed_ = failed;
    if (flag == CV_TOO_CLOSE) {
      t_ = stop;
      return StepOutcome::ok;
    }
    if (flag >= 0 && is_stuck(stop)) {
      if (t_ - began_at_ < long_way * least_step()) return StepOutcome::step_too_small;
      const std::vector<double> here(numbers(sundials_.y).begin(), numbers(sundials_.y).end());
      start(t_, here);
      return StepOutcome::ok;
    }
    if (flag < 0) {
      t_ = t_before_;
      const bool no_rates = flag == CV_RHSFUNC_FAIL || flag == CV_FIRST_RHSFUNC_ERR || flag == CV_REPTD_RHSFUNC_ERR;
      return no_rates ? StepOutcome::no_derivative : StepOutcome::step_too_small;
    }
    const std::span<const double> y = numbers(sundials_.y);
    std::copy(y.begin(), y.end(), y_.begin());
    return StepOutcome::ok;
  }

  void at(double t, std::span<double> y) override {
    if (t == t_) {
      std::copy(y_.begin(), y_.end(), y.begin());
      return;
    }
    CVodeGetDky(memory_, t, 0, within_);
    const std::span<const double> found = numbers(within_);
    std::copy(found.begin(), found.end(), y.begin());
    system_.finish(t, y);
  }

 private:
  System& system_;
  const SimulationOptions options_;
  Sundials sundials_;
  N_Vector within_ = nullptr;
  void* memory_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  long failed_ = 0;  // steps, since the start
  double began_at_ = 0;
  int steps_ = 0;  // since then

  // With tolerances near round-off the differences of its history may be noise: errors do not shrink with steps any more, and CVODE makes
  // them shorter and shorter, down to 1e-305 s, without a word. It begins anew then, without a history; where that does not help
  // within some steps, the tolerance is too small. The first steps after a start may be as short, behind a jump to a large force; they grow.
  static constexpr double long_way = 1000;
  static constexpr int first_steps = 50;
  double least_step() const { return 64 * std::numeric_limits<double>::epsilon() * std::abs(t_); }
  bool is_stuck(double stop) const {
    double taken = 0;
    CVodeGetLastStep(memory_, &taken);
    return steps_ > first_steps && taken < least_step() && stop - t_before_ > least_step();
  }
};

}  // namespace

std::unique_ptr<Stepper> make_bdf_stepper(System& system, const SimulationOptions& options) {
  return std::make_unique<BdfStepper>(system, options);
}

}  // namespace trammel
