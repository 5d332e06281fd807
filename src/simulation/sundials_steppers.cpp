// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Steps with error control by SUNDIALS: explicit Runge–Kutta rules of ARKODE and backward differences of CVODE. Both project y after
// every step (System::finish), the latter within its own corrector.                                [Hindmarsh et al. 2005]
//
// The state within a step: of backward differences by their own polynomial; of a Runge–Kutta rule by a shorter step of the same rule
// from the same beginning, so that it is as exact as the end.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include "simulation/stepper.hpp"

namespace trammel {
namespace {

std::span<double> numbers(N_Vector v) { return {N_VGetArrayPointer(v), static_cast<std::size_t>(N_VGetLength(v))}; }

// What both need: a context, vectors, tolerances.
struct Sundials {
  SUNContext context = nullptr;
  N_Vector y = nullptr, tolerance = nullptr;

  Sundials(System& system, const SimulationOptions& options) {
    if (SUNContext_Create(nullptr, &context) != 0) throw std::runtime_error("SUNDIALS gives no context");
    const auto n = static_cast<sunindextype>(system.size());
    y = N_VNew_Serial(n, context);
    tolerance = N_VNew_Serial(n, context);
    N_VConst(options.tolerance, tolerance);
    // Work is kept for the audit, in joules; it should be as good as the motion and not shorten steps.
    for (std::size_t i = system.first_work(); i < system.size(); ++i) numbers(tolerance)[i] = 10 * options.tolerance;
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

// --- explicit Runge–Kutta ----------------------------------------------------------------------------------------------

int finish_step(double t, N_Vector y, void* system) {
  static_cast<System*>(system)->finish(t, numbers(y));
  return 0;
}

// The rules of ARKODE with each order. (Its Verner rule of order 6 converges with order 3 only in the version that Debian 12 has, 5.4.)
ARKODE_ERKTableID rule_of_order(int order) {
  switch (order) {
    case 2:
      return ARKODE_HEUN_EULER_2_1_2;
    case 3:
      return ARKODE_BOGACKI_SHAMPINE_4_2_3;
    case 4:
      return ARKODE_ZONNEVELD_5_3_4;
    case 5:
    case 6:
      return ARKODE_DORMAND_PRINCE_7_4_5;
    default:
      return ARKODE_FEHLBERG_13_7_8;
  }
}

// Fehlberg's rule of order 8 with another estimate of its error. His own is the difference of rates at the beginning and the end of a step,
// and does not see a stop that is met and left in between, nor anything that depends on time alone. Seven of the stages have the times 0,
// 1/6, …, 1 of the step; a fifth difference of their rates is zero for rules up to order 5, so that b minus a share of one is a rule of
// order 5 within that of order 8. Taken is the one over the first six plus a quarter of the one over the last six: no stage is left out.
ARKodeButcherTable rule_with_its_error(int order) {
  ARKodeButcherTable rule = ARKodeButcherTable_LoadERK(rule_of_order(order));
  if (order != 0 && order < 7) return rule;
  constexpr struct {
    int stage;
    double weight;
  } difference[] = {{0, -1}, {7, 4.75}, {9, -8.75}, {5, 7.5}, {8, -2.5}, {6, -0.25}, {10, 0.25}};
  constexpr double share = 0.01;  // with which the tolerance is about the error of a second of swinging
  for (int i = 0; i < rule->stages; ++i) rule->d[i] = rule->b[i];
  for (const auto& [stage, weight] : difference) rule->d[stage] -= share * weight;
  rule->p = 5;
  return rule;
}

constexpr int most_attempts = 60;  // at one step, each at most 0.3 of the one before
constexpr double careful = 0.01;

class ErkStepper : public Stepper {
 public:
  ErkStepper(System& system, const SimulationOptions& options)
      : system_(system), options_(options), sundials_(system, options), before_(system.size()) {
    y_.resize(system.size());
  }
  ~ErkStepper() override {
    if (main_ != nullptr) ERKStepFree(&main_);
    if (within_ != nullptr) ERKStepFree(&within_);
  }

  void start(double t, std::span<const double> y) override {
    std::copy(y.begin(), y.end(), y_.begin());
    std::copy(y.begin(), y.end(), numbers(sundials_.y).begin());
    t_ = t_before_ = t;
    before_ = y_;
    if (main_ == nullptr) {
      main_ = make();
      ERKStepSVtolerances(main_, options_.tolerance, sundials_.tolerance);
      ERKStepSetMaxNumSteps(main_, -1);
      ERKStepSetMaxErrTestFails(main_, most_attempts);
      if (options_.step > 0) ERKStepSetMaxStep(main_, options_.step);
      within_ = make();
    } else {
      // After an event (a latch opens, and what stood still flies off) the step of before may be far too long. A first one may grow
      // ten-thousandfold, so that a careful beginning costs one step.
      double next = 0;
      ERKStepGetCurrentStep(main_, &next);
      ERKStepReset(main_, t, sundials_.y);
      // Where that follows every step, as with a controller that has no period, each would be a careful one.
      ERKStepSetInitStep(main_, steps_since_start_ > 1 ? careful * next : next);
      steps_since_start_ = 0;
    }
  }

  StepOutcome step(double stop) override {
    ++steps_since_start_;
    before_ = y_;
    t_before_ = t_;
    ERKStepSetStopTime(main_, stop);
    const int flag = ERKStepEvolve(main_, stop, sundials_.y, &t_, ARK_ONE_STEP);
    long failed = 0;
    ERKStepGetNumErrTestFails(main_, &failed);
    rejected = static_cast<std::uint64_t>(failed);
    if (flag == ARK_TOO_CLOSE) {  // a last step of nothing
      t_ = stop;
      return StepOutcome::ok;
    }
    if (flag < 0) {
      t_ = t_before_;
      const bool no_rates = flag == ARK_RHSFUNC_FAIL || flag == ARK_FIRST_RHSFUNC_ERR || flag == ARK_REPTD_RHSFUNC_ERR;
      return no_rates ? StepOutcome::no_derivative : StepOutcome::step_too_small;
    }
    const std::span<const double> y = numbers(sundials_.y);
    std::copy(y.begin(), y.end(), y_.begin());
    return StepOutcome::ok;
  }

  void at(double t, std::span<double> y) override {
    if (t == t_ || t == t_before_) {
      const std::vector<double>& known = t == t_ ? y_ : before_;
      std::copy(known.begin(), known.end(), y.begin());
      return;
    }
    N_Vector vector = N_VClone(sundials_.y);
    std::copy(before_.begin(), before_.end(), numbers(vector).begin());
    ERKStepReset(within_, t_before_, vector);
    ERKStepSetFixedStep(within_, t - t_before_);
    ERKStepSetStopTime(within_, t);
    double reached = t_before_;
    ERKStepEvolve(within_, t, vector, &reached, ARK_ONE_STEP);
    const std::span<const double> found = numbers(vector);
    std::copy(found.begin(), found.end(), y.begin());
    N_VDestroy(vector);
  }

 private:
  void* make() {
    void* memory = ERKStepCreate(rates, t_, sundials_.y, sundials_.context);
    if (memory == nullptr) throw std::runtime_error("ARKODE cannot be started");
    ERKStepSetErrHandlerFn(memory, say_nothing, nullptr);
    ERKStepSetUserData(memory, &system_);
    ARKodeButcherTable rule = rule_with_its_error(options_.order);
    ERKStepSetTable(memory, rule);
    ARKodeButcherTable_Free(rule);
    if (system_.needs_finish()) ERKStepSetPostprocessStepFn(memory, finish_step);
    return memory;
  }

  System& system_;
  const SimulationOptions options_;
  Sundials sundials_;
  void *main_ = nullptr, *within_ = nullptr;
  int steps_since_start_ = 0;
  std::vector<double> before_;
};

// --- backward differences ------------------------------------------------------------------------------------------------

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
      : system_(system), options_(options), sundials_(system, options) {
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
    CVodeSetStopTime(memory_, stop);
    const int flag = CVode(memory_, stop, sundials_.y, &t_, CV_ONE_STEP);
    long failed = 0;
    CVodeGetNumErrTestFails(memory_, &failed);
    rejected = static_cast<std::uint64_t>(failed);
    if (flag == CV_TOO_CLOSE) {
      t_ = stop;
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
};

}  // namespace

std::unique_ptr<Stepper> make_erk_stepper(System& system, const SimulationOptions& options) {
  return std::make_unique<ErkStepper>(system, options);
}
std::unique_ptr<Stepper> make_bdf_stepper(System& system, const SimulationOptions& options) {
  return std::make_unique<BdfStepper>(system, options);
}

}  // namespace trammel
