import { type FailureKind, PlatformFailure } from '../../../platform/failures.ts';

const passing: FailureKind[] = [
  'unreachable',
  'rateLimited',
  'breakerOpen',
  'badAnswer',
  'aborted',
];

const words: Partial<Record<FailureKind, string>> = {
  unknownMember: 'You are not in the server yet. Join it, then verify once more to get your role.',
  unknownUser: 'You are not in the server yet. Join it, then verify once more to get your role.',
  missingPermission:
    "The server's bot may not give you the role. Please tell the owner: the bot needs the right to manage roles, and a place above this one.",
  unknownRole:
    'The role that you should get does not exist any more. Please tell the server’s owner.',
};

const otherwise =
  "The server's bot could not give you the role. Please tell the server's owner; you are verified all the same.";
const later =
  'The platform does not answer at the moment. Your role comes as soon as it does: you can close this page.';

/** Why somebody has no role yet, in words for them, and whether time may heal it. */
export const grantTroubleOf = (failure: Error): { isPassing: boolean; sentence: string } => {
  if (!(failure instanceof PlatformFailure)) return { isPassing: false, sentence: otherwise };
  const isPassing = passing.includes(failure.kind);
  return { isPassing, sentence: isPassing ? later : (words[failure.kind] ?? otherwise) };
};
