/** What one run showed. */
export type Outcome = {
  name: string;
  kills: number;
  /** Whether a worker that was started again brought it to its end. */
  isResumed: boolean;
  violations: string[];
  /** What is left of the installation is of no use to further runs. */
  isLaneSpent?: boolean;
};

type Tally = { runs: number; kills: number; resumed: number; violations: string[] };

export const summarize = (outcomes: Outcome[]): Tally => ({
  runs: outcomes.length,
  kills: outcomes.reduce((sum, { kills }) => sum + kills, 0),
  resumed: outcomes.filter(({ isResumed }) => isResumed).length,
  violations: outcomes.flatMap(({ name, violations }) =>
    violations.map((violation) => `${name}: ${violation}`),
  ),
});

/** A run that throws counts as a violation. */
export const runSafely = async (name: string, run: () => Promise<Outcome>): Promise<Outcome> => {
  try {
    return await run();
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    // The error of a service that did not start holds its output; the reason comes last.
    const reason = words.trim().split('\n').at(-1);
    const violations = [`it broke off: ${reason}`];
    return { name, kills: 0, isResumed: false, violations, isLaneSpent: true };
  }
};
