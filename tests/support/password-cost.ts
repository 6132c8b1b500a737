// Password hashing that is cheap enough for hundreds of sign-ins, in tests of anything else.

export const testPasswordCost = { memoryCost: 8, timeCost: 1 }
