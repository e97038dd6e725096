/** What a script can tell by the exit code; docs/cli.md has the same table. */
export const exitCodes = {
  ok: { code: 0, meaning: 'done' },
  failure: { code: 1, meaning: 'failed for another reason than those below' },
  usage: { code: 2, meaning: 'wrong arguments, or input that the service refused' },
  notSignedIn: { code: 3, meaning: 'not signed in, or the key is refused' },
  forbidden: { code: 4, meaning: "the key's scopes or the plan do not allow it" },
  notFound: { code: 5, meaning: 'not found' },
  conflict: { code: 6, meaning: 'in conflict with the present state, such as a restore under way' },
  drift: { code: 7, meaning: 'the server differs from the file' },
  jobFailed: { code: 8, meaning: 'the job failed, was cancelled, or ended with something missing' },
  rateLimited: { code: 9, meaning: 'too many requests, or a cooldown is not over' },
  unreachable: { code: 10, meaning: 'the service did not answer' },
  interrupted: { code: 130, meaning: 'interrupted; a job that was started keeps running' },
} as const;

export type ExitName = keyof typeof exitCodes;

/** A failure whose message is written for the person who typed the command. */
export class CommandError extends Error {
  readonly exit: ExitName;
  /** What to do about it, one sentence each. */
  readonly hints: string[];

  constructor(exit: ExitName, message: string, hints: string[] = []) {
    super(message);
    this.exit = exit;
    this.hints = hints;
  }
}
