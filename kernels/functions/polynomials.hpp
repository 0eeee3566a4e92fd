// Polynomials of the functions' kernels, lowest power first: interpolation at Chebyshev nodes, in
// 113-bit arithmetic, of (2^r - 1) / r on [-1/2, 1/2], of log2(1 + f) / f and (log(1 + f) - f) / f²
// for 1 + f from the root of 1/2 to that of 2, and of (e^r - 1 - r) / r² for |r| <= ln(2) / 2.
// Errors are relative to the function's result.
#pragma once

namespace switchyard::kernels {

inline constexpr double kLog2E = 0x1.71547652b82fep+0;
inline constexpr double kLn2 = 0x1.62e42fefa39efp-1;

inline constexpr double kExp2Exact[] = { // 2^-44.6
    0x1.62e42fefa39efp-1,  0x1.ebfbdff823cedp-3,  0x1.c6b08d7047e52p-5,
    0x1.3b2ab7181b755p-7,  0x1.5d87fe86fe88ep-10, 0x1.4308ac85aa947p-13,
    0x1.ffcb9515a8016p-17, 0x1.63d136366db24p-20, 0x1.b63880a30e9ffp-24};
inline constexpr double kExp2Faithful[] = { // 2^-27.5
    0x1.62e4302fc626ep-1, 0x1.ebfbe00e63baep-3,  0x1.c6af6cdbbdcc7p-5,
    0x1.3b2a53045179ap-7, 0x1.5f0890162a90ap-10, 0x1.4413896e1ad27p-13};

inline constexpr double kLog2Best[] = { // 2^-51.3
    0x1.71547652b82fep+0, -0x1.71547652b8235p-1, 0x1.ec709dc3a07e3p-2, -0x1.71547652e9041p-2,
    0x1.2776c50ef3fefp-2, -0x1.ec709d8c3849bp-3, 0x1.a617627017c19p-3, -0x1.7154845e3907dp-3,
    0x1.484b2d52f29bap-3, -0x1.2774ea618ba62p-3, 0x1.0c95cf3546ac4p-3, -0x1.ecb458efa5661p-4,
    0x1.c772dc8b8133bp-4, -0x1.a3b3b17002307p-4, 0x1.7e87a7189cbc1p-4, -0x1.769adc16a95f4p-4,
    0x1.a31636c448085p-4, -0x1.8663a6611ba91p-4, 0x1.618c7cda73989p-5};
inline constexpr double kLog2Good[] = { // 2^-46.1
    0x1.71547652b82efp+0, -0x1.71547652b9dp-1,   0x1.ec709dc3b5272p-2, -0x1.7154764dc9604p-2,
    0x1.2776c4f98ac05p-2, -0x1.ec70a207dd245p-3, 0x1.a61773d6386d4p-3, -0x1.7153aba7fd0cp-3,
    0x1.4847b8ace2716p-3, -0x1.2788ea90c3c26p-3, 0x1.0cf388cd2666cp-3, -0x1.eafc965718621p-4,
    0x1.bcb6ab13010d7p-4, -0x1.a804c0563dad8p-4, 0x1.cd6f465c4eb5fp-4, -0x1.b754a4d947185p-4,
    0x1.a396c64964f93p-5};
inline constexpr double kLog2Faithful[] = { // 2^-30.3
    0x1.71547656718f6p+0, -0x1.7154760a19c37p-1, 0x1.ec708011658a9p-2, -0x1.7154b2b66b068p-2,
    0x1.27805c014f843p-2, -0x1.ec6fc6a720248p-3, 0x1.a3ec05c6d0a22p-3, -0x1.6efd906076542p-3,
    0x1.60f5273d7877p-3,  -0x1.575927a6433c5p-3, 0x1.84608c53495c1p-4};

// The first part of ln 2 has 9 bits: its products with exponents are exact.
inline constexpr float kLog2EF32 = 0x1.715476p+0F;
inline constexpr float kLn2HighF32 = 0x1.63p-1F;
inline constexpr float kLn2LowF32 = -0x1.bd0106p-13F;

inline constexpr float kExpF32[] = { // 2^-26.5
    0x1p-1F, 0x1.5554dcp-3F, 0x1.55551ap-5F, 0x1.120b86p-7F, 0x1.6d1122p-10F};
inline constexpr float kLogF32[] = { // 2^-26.1
    -0x1.fffffep-2F, 0x1.555554p-2F,  -0x1.00020cp-2F, 0x1.99a012p-3F, -0x1.548382p-3F,
    0x1.22ea5ap-3F,  -0x1.0cda32p-3F, 0x1.048f72p-3F,  -0x1.3a4ff6p-4F};

} // namespace switchyard::kernels
