import { foldCase } from '../../kernel/search-text.ts';

/** Separates the two names in `searchText`, and is in neither. */
const separator = '\n';

/** Both names, folded by Unicode's rules: the database's locale does not matter. */
export const searchTextOf = (username: string, displayName: string | null): string =>
  [username, displayName ?? '']
    .map((name) => foldCase(name).replaceAll(separator, ' '))
    .join(separator);

/** Whether any name could contain this text. */
export const couldBeInName = (part: string): boolean => !part.includes(separator);

type Tokens = { valid: number; expired: number; revoked: number };

const lowShare = 0.8;
const recoveredShare = 0.9;
const fewestRevoked = 10;

/**
 * Whether so many tokens were revoked that their owner should know. An expired token counts as good: it
 * is refreshed once the platform answers. Low begins below 80 % and ends at 90 %, so that a share that
 * moves around one limit does not raise alert after alert; few tokens say nothing.
 */
export const areTokensLow = ({ valid, expired, revoked }: Tokens, wereLow: boolean): boolean => {
  const good = valid + expired;
  const goodShare = good / Math.max(1, good + revoked);
  if (wereLow) return revoked > 0 && goodShare < recoveredShare;
  return revoked >= fewestRevoked && goodShare < lowShare;
};
