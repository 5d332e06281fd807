// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "readers/dm_text.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/text.hpp"

namespace trammel::readers::dm {
namespace {

constexpr std::size_t most_items = 500'000;  // values, parameters and blocks: a robot of ten thousand links
constexpr int deepest = 100;                 // blocks in blocks

struct Token {
  enum class Kind : std::uint8_t { word, text, open, close, end };
  Kind kind = Kind::end;
  std::string_view text;
  SourceLocation where;
};

class Tokens {
 public:
  Tokens(std::string_view text, Messages& messages) : text_(text), messages_(messages) {}

  const Token& peek(std::size_t ahead = 0) {
    while (count_ <= ahead) ahead_[count_++] = read();
    return ahead_[ahead];
  }
  Token take() {
    const Token token = peek();
    ahead_[0] = ahead_[1];
    --count_;
    return token;
  }
  bool is_damaged() const { return is_damaged_; }

 private:
  std::string_view text_;
  Messages& messages_;
  std::size_t at_ = 0;
  SourceLocation where_{1, 1};
  Token ahead_[2];
  std::size_t count_ = 0;
  bool is_damaged_ = false;

  bool at_end() const { return at_ >= text_.size(); }
  char here() const { return text_[at_]; }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  void step() {
    if (here() == '\n') {
      ++where_.line;
      where_.column = 0;
    }
    ++at_;
    if (at_end() || begins_character(here())) ++where_.column;
  }

  void skip_blanks_and_comments() {
    while (!at_end() && (is_blank(here()) || here() == '#')) {
      if (here() == '#') {
        while (!at_end() && here() != '\n') step();
      } else {
        step();
      }
    }
  }

  Token read() {
    skip_blanks_and_comments();
    const SourceLocation where = where_;
    if (at_end()) return {Token::Kind::end, {}, where};
    const std::size_t begin = at_;
    if (here() == '{' || here() == '}') {
      const auto kind = here() == '{' ? Token::Kind::open : Token::Kind::close;
      step();
      return {kind, text_.substr(begin, 1), where};
    }
    if (here() == '"') return read_text(where);
    while (!at_end() && !is_blank(here()) && here() != '{' && here() != '}' && here() != '"' && here() != '#') step();
    return {Token::Kind::word, text_.substr(begin, at_ - begin), where};
  }

  Token read_text(SourceLocation where) {
    step();
    const std::size_t begin = at_;
    while (!at_end() && here() != '"' && here() != '\n') step();
    const std::string_view inside = text_.substr(begin, at_ - begin);
    if (!at_end() && here() == '"') {
      step();
    } else {
      is_damaged_ = true;
      messages_.error(where, "dm-quote", fmt::format("the text {} is not closed in its line", quote(inside)),
                      "add a quote \" behind it");
    }
    return {Token::Kind::text, inside, where};
  }
};

Value value_of(const Token& token) {
  Value value{Value::Kind::word, 0, token.text, token.where};
  if (token.kind == Token::Kind::text) {
    value.kind = Value::Kind::text;
    return value;
  }
  std::string_view digits = token.text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  const char first = digits.empty() ? '\0' : digits.front();
  if (first != '-' && first != '.' && (first < '0' || first > '9')) return value;  // neither nan nor inf
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value.number);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) return value;
  if (error == std::errc{} && (value.number - value.number != 0)) return value;  // "-inf"
  value.kind = error == std::errc::result_out_of_range ? Value::Kind::too_large : Value::Kind::number;
  return value;
}

class Parser {
 public:
  Parser(std::string_view text, Messages& messages) : tokens_(text, messages), messages_(messages) {}

  Document parse(const std::function<bool(const Block&)>& is_done) {
    Document document;
    Block& top = document.top;
    while (is_whole_ && tokens_.peek().kind != Token::Kind::end) {
      if (is_done(top)) {
        document.rest = tokens_.peek().where;
        break;
      }
      read_item(top, 0);
    }
    document.is_whole = is_whole_ && !tokens_.is_damaged();
    return document;
  }

 private:
  Tokens tokens_;
  Messages& messages_;
  std::size_t items_ = 0;
  bool is_whole_ = true;

  void fail(SourceLocation where, std::string id, std::string what, std::string fix) {
    if (is_whole_) messages_.error(where, std::move(id), std::move(what), std::move(fix));
    is_whole_ = false;
  }
  void count(SourceLocation where) {
    if (++items_ > most_items) {
      fail(where, "dm-too-many", fmt::format("the file has more than {} parameters and values", most_items),
           "check that this is a DynaMechs file; build larger models in C++");
    }
  }

  void read_item(Block& in, int depth) {
    const Token token = tokens_.take();
    count(token.where);
    switch (token.kind) {
      case Token::Kind::word:
        if (tokens_.peek().kind == Token::Kind::open) return read_block(token, in, depth);
        return read_parameter(token, in);
      case Token::Kind::open:
        return fail(token.where, "dm-block", "a '{' has no keyword before it", "write the block's keyword before it");
      case Token::Kind::close:
        return fail(token.where, "dm-block", "a '}' closes nothing", "delete it, or add the block's beginning");
      case Token::Kind::text:
        return fail(token.where, "dm-block", fmt::format("the text {} stands behind no keyword", quote(token.text)),
                    "write the keyword before it");
      case Token::Kind::end:
        return;
    }
  }

  void read_parameter(const Token& name, Block& in) {
    Parameter& parameter = in.parameters.emplace_back();
    parameter.name = name.text;
    parameter.where = name.where;
    while (is_whole_ && belongs_to(name)) {
      const Token token = tokens_.take();
      count(token.where);
      parameter.values.push_back(value_of(token));
    }
  }

  bool belongs_to(const Token& name) {
    const Token& next = tokens_.peek();
    if (next.kind == Token::Kind::text) return true;
    if (next.kind != Token::Kind::word || tokens_.peek(1).kind == Token::Kind::open) return false;
    if (value_of(next).kind != Value::Kind::word) return true;
    return next.where.line == name.where.line && !is_keyword(next.text);
  }

  void read_block(const Token& name, Block& in, int depth) {
    if (depth >= deepest) {
      return fail(name.where, "dm-too-deep", fmt::format("blocks stand in blocks more than {} deep", deepest),
                  "links of a chain stand behind each other, not in each other");
    }
    Block block;
    block.name = name.text;
    block.where = name.where;
    tokens_.take();  // {
    while (is_whole_ && tokens_.peek().kind != Token::Kind::close) {
      if (tokens_.peek().kind == Token::Kind::end) {
        return fail(name.where, "dm-block",
                    fmt::format("{} is not closed before the file ends in line {}", quote(name.text),
                                tokens_.peek().where.line),
                    "get the whole file, or add '}' where it ends");
      }
      read_item(block, depth + 1);
    }
    if (is_whole_) block.end = tokens_.take().where;
    in.blocks.push_back(std::move(block));
  }
};

}  // namespace

Document parse(std::string_view text, Messages& messages, const std::function<bool(const Block&)>& is_done) {
  return Parser(text, messages).parse(is_done);
}

const std::vector<std::string>& keywords() {
  static const std::vector<std::string> sorted = [] {
    std::vector<std::string> list{
        // blocks
        "Graphics_Models", "System", "StaticRefMember", "DynamicRefMember", "Articulation", "ClosedArticulation",
        "TreeStructure", "SecondaryJoints", "Branch", "StaticRootLink", "MobileBaseLink", "RevoluteLink",
        "PrismaticLink", "SphericalLink", "QuaternionLink", "ZScrewTxLink", "ZScrewLinkTx", "HardRevoluteJoint",
        "HardPrismaticJoint", "HardSphericalJoint", "SoftRevoluteJoint", "SoftPrismaticJoint", "SoftSphericalJoint",
        // of bodies
        "Name", "Graphics_Model", "Graphics_Model_Index", "Number_Graphics_Models", "Mass", "Inertia",
        "Center_of_Gravity", "Volume", "Added_Mass", "Center_of_Buoyancy", "Drag_Axis", "Cylinder_Bounds",
        "Cylinder_Radius", "Drag_Coefficient", "Drag_Coefficients", "Number_of_Contact_Points", "Contact_Locations",
        "Number_of_Dynamic_Contact_Points", "Dynamic_Contact_Locations",
        // of joints
        "Position", "Orientation_Quat", "Velocity", "MDH_Parameters", "ZScrew_Parameters", "Initial_Joint_Velocity",
        "Joint_Limits", "Joint_Limit_Spring_Constant", "Joint_Limit_Damper_Constant", "Position_From_Inboard_Link",
        "Initial_Joint_Angles", "Initial_Angular_Velocity", "Axes_Limits", "Joint_Friction", "Actuator_Type",
        "Motor_Torque_Constant", "Motor_BackEMF_Constant", "Motor_Armature_Resistance", "Motor_Inertia",
        "Motor_Coulomb_Friction_Constant", "Motor_Viscous_Friction_Constant", "Motor_Max_Brush_Drop",
        "Motor_Half_Drop_Value", "Stabilization", "Link_A_Name", "Link_B_Name", "Joint_A_Position", "Rotation_Matrix_A",
        "Joint_B_Position", "Rotation_Matrix_B", "Position_Constraint_Spring", "Position_Constraint_Damper",
        "Orientation_Constraint_Spring", "Orientation_Constraint_Damper",
        // of simulations and environments
        "Integration_Stepsize", "Display_Update_Rate", "Environment_Parameter_File", "Robot_Parameter_File",
        "Control_Stepsize", "Data_Save_Directory", "Gravity_Vector", "Terrain_Data_Filename",
        "Ground_Planar_Spring_Constant", "Ground_Normal_Spring_Constant", "Ground_Planar_Damper_Constant",
        "Ground_Normal_Damper_Constant", "Ground_Static_Friction_Coeff", "Ground_Kinetic_Friction_Coeff",
        "Fluid_Density"};
    std::sort(list.begin(), list.end());
    return list;
  }();
  return sorted;
}

bool is_keyword(std::string_view word) {
  const std::vector<std::string>& all = keywords();
  const auto found = std::lower_bound(all.begin(), all.end(), word);
  return found != all.end() && *found == word;
}

}  // namespace trammel::readers::dm
