// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// mj_forward on what `trammel convert` writes of a model, at its design position, without contacts.

#ifdef TRAMMEL_MUJOCO

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include <mujoco/mujoco.h>

#include <trammel/readers.hpp>

namespace trammel {

class MujocoRun {
 public:
  explicit MujocoRun(const Model& model) {
    WriteResult written = write_mjcf(model);
    // It refuses some published inertias; for the clock any like them will do.
    const std::string compiler = "<compiler ";
    if (const auto at = written.text.find(compiler); at != std::string::npos) {
      written.text.insert(at + compiler.size(), "balanceinertia=\"true\" ");
    }
    if (!written.ok()) throw std::runtime_error("cannot be written as MJCF");
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(written.text.size()));
    std::memcpy(files->filedata[0], written.text.data(), written.text.size());
    char message[1000] = {};
    model_ = mj_loadXML("model.xml", files.get(), message, sizeof message);
    mj_deleteVFS(files.get());
    if (model_ == nullptr) throw std::runtime_error(message);
    model_->opt.disableflags |= mjDSBL_CONTACT;
    data_ = mj_makeData(model_);
  }
  ~MujocoRun() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MujocoRun(const MujocoRun&) = delete;
  MujocoRun& operator=(const MujocoRun&) = delete;

  // Its own model of fluids: drag on boxes as heavy as the bodies.
  void fill_with_water(double density) { model_->opt.density = density, model_->opt.viscosity = 1e-3; }
  void leave_out_constraints() { model_->opt.disableflags |= mjDSBL_CONSTRAINT; }
  void set_velocities(double all) {
    for (int k = 0; k < model_->nv; ++k) data_->qvel[k] = all;
  }
  void forward() {
    mju_zero(data_->qacc_warmstart, model_->nv);  // its solver would start at the answer
    mj_forward(model_, data_);
  }
  int rows() const { return data_->nefc; }
  int nv() const { return model_->nv; }

 private:
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace trammel

#endif
