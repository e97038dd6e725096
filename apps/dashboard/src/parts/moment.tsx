import { agoWords, momentWords } from './words.ts';

type MomentProps = {
  at: string | null;
  /** What stands where it has not come yet. */
  never?: string;
  isExact?: boolean;
};

/** A time in the reader's own zone; how long ago it is in the text, the time itself on hovering. */
export const Moment = ({ at, never = '–', isExact = false }: MomentProps) =>
  at === null ? (
    <span>{never}</span>
  ) : (
    <time dateTime={at} title={momentWords(at)}>
      {isExact ? momentWords(at) : agoWords(at)}
    </time>
  );
