/** How often a property is tried. `npm run test:slow` runs the files that say so again, four times as often. */
export const tries = (quick: number): { numRuns: number } => ({
  numRuns: quick * Number(process.env.HOLDFAST_TEST_TRIES ?? 1),
});
