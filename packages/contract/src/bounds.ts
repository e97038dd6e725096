/** What one account may hold on every plan; creating beyond is 403. */
export const accountBounds = {
  rulesPerList: 1000,
  liveKeys: 100,
  listings: 200,
} as const;

/** All keys of an account together have so many times its plan's rate in one window. */
export const accountRateFactor = 5;
