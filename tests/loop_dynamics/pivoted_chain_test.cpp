// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
// Chains whose K is taken with the largest pivot first, though none of its rows is null: forces must come back in the order of the rows.

#include <gtest/gtest.h>

#include <trammel/loop_dynamics.hpp>
#include <trammel/readers.hpp>

#include "support/random_model.hpp"

namespace trammel {
namespace {

// Three chains of three freedoms hold an object by balls; two are cut in the middle. In chain 1, which a screw closes, the first pivot of K
// is small beside what is expected of it.
std::string three_chains(double advance) {
  return R"yaml(
trammel: 1
gravity: [0, 0, -9.8100000]
bodies:
  obj: {mass: 2.2164158, com: [0.1613991, -0.0676841, -0.3270626], inertia: [0.2595298, 0.2413439, 0.2727825, -0.0069706, 0.0100696, 0.0023534]}
  c0_0: {mass: 0.5882063, com: [1.4257636, 1.8231998, -1.1004871], inertia: [0.1787674, 0.1804139, 0.1483890, -0.0030386, -0.0143330, -0.0025356]}
  c0_1: {mass: 1.6531289, com: [1.3342074, 0.9005878, -0.7889663], inertia: [0.2066454, 0.1912270, 0.1906320, -0.0054309, 0.0007650, -0.0013203]}
  c1_0: {mass: 0.9688388, com: [0.2800646, -0.4624084, 0.9925245], inertia: [0.1399796, 0.0708144, 0.1228580, -0.0018653, -0.0114708, 0.0230945]}
  c1_1: {mass: 1.5151515, com: [-0.3342025, -0.3056142, 0.9619420], inertia: [0.2010971, 0.1515383, 0.1554531, -0.0260746, 0.0254734, -0.0143804]}
  c1_2: {mass: 2.9941382, com: [0.1105701, 0.3293168, 1.2394684], inertia: [0.1619244, 0.1646820, 0.1820425, -0.0173931, -0.0253842, -0.0266586]}
  c2_0: {mass: 1.3412825, com: [0.3447453, -3.1887635, 1.1895544], inertia: [0.1367177, 0.1795321, 0.1754734, 0.0130716, -0.0314925, -0.0326326]}
  c2_1: {mass: 2.9154383, com: [0.7380113, -1.7409149, 0.9265530], inertia: [0.1418736, 0.1943849, 0.1619228, 0.0168081, 0.0113507, -0.0047533]}
  c2_2: {mass: 2.3224810, com: [0.5609581, -1.5970553, 0.5857537], inertia: [0.1163427, 0.1679433, 0.1506203, -0.0388389, -0.0287430, -0.0219999]}
  c2_3: {mass: 1.7565373, com: [0.7349462, -0.3160244, 0.5516471], inertia: [0.2267096, 0.2249019, 0.2075394, 0.0084417, -0.0045106, -0.0033513]}
joints:
  j0_0: {revolute: [ground, c0_0], at: [0.9144182, 1.6927096, -0.3732377], axis: [-0.0368793, 0.0052587, -0.9993058]}
  j0_1: {cylindrical: [c0_1, c0_0], at: [0.8688937, 1.3913472, -0.6184254], axis: [0.8190081, 0.2181691, 0.5306862], cut: true}
  t0: {spherical: [c0_1, obj], at: [0.9086505, 1.2627078, -0.8158480]}
  j1_0: {revolute: [ground, c1_0], at: [0.4016423, -0.7364510, 0.9374867], axis: [0.5390938, 0.7953197, 0.2772080]}
  j1_1: {revolute: [c1_0, c1_1], at: [0.3546107, -0.6673705, 0.9962864], axis: [-0.1182391, -0.8225152, 0.5563165]}
  j1_2: {helical: [c1_1, c1_2], at: [-0.0509383, -0.2656289, 0.9669969], axis: [0.2515555, -0.9116257, 0.3250510], advance: )yaml" +
         std::to_string(advance) + R"yaml(, cut: true}
  t1: {spherical: [obj, c1_2], at: [0.5486071, -0.3858221, 0.5928406]}
  j2_0: {revolute: [ground, c2_0], at: [0.3037331, -2.8614541, 1.6959079], axis: [0.0122099, -0.9999247, -0.0012105]}
  j2_1: {fixed: [c2_1, c2_0], at: [0.8855879, -1.8423686, 0.7874591]}
  j2_2: {revolute: [c2_2, c2_1], at: [0.9326220, -1.4645527, 0.4143282], axis: [0.1069656, 0.5591792, -0.8221173]}
  j2_3: {revolute: [c2_3, c2_2], at: [0.8507471, -0.3224424, 0.7863059], axis: [-0.9093808, -0.3763039, -0.1772618]}
  t2: {spherical: [obj, c2_3], at: [0.1199677, -0.7740682, 0.4990046]}
)yaml";
}

TEST(PivotedChain, gives_its_forces_in_the_order_of_their_rows) {
  for (const double advance : {-0.0668797, -0.0650, -0.0660, -0.0670, -0.0680, -0.0500, -0.1000, 0.03}) {
    const ReadResult read = read_yaml(three_chains(advance), "test.yaml");
    ASSERT_TRUE(read.ok()) << read.diagnostics.to_string();
    const Mechanism mech = test::compiled(read.model);
    LoopDynamics dynamics(mech);
    const State state = design_state(mech);
    const std::vector<double> tau(static_cast<std::size_t>(mech.nv));
    std::vector<double> exact(tau.size()), a(tau.size());
    ASSERT_TRUE(dynamics.forward(state.q, state.v, tau, exact, {}, LoopMethod::dense).ok());
    for (const LoopMethod method : {LoopMethod::star, LoopMethod::elimination}) {
      ASSERT_TRUE(dynamics.forward(state.q, state.v, tau, a, {}, method).ok());
      for (std::size_t k = 0; k < a.size(); ++k) {
        EXPECT_NEAR(a[k], exact[k], 1e-8) << mech.dof_names[k] << ", advance " << advance;
      }
    }
  }
}

}  // namespace
}  // namespace trammel
