import { errorCode } from '../../kernel/describe-error.ts';

export type IpSource = 'country' | 'asn' | 'vpn';

const contents: Record<IpSource, string> = {
  country: 'countries',
  asn: 'networks',
  vpn: 'hosting and VPN networks',
};

/** Called once for each source that fails. */
export type OnProblem = (source: IpSource, message: string) => void;

/** Data that may be loaded later or never, and whose lookups may fail. */
type Source<Question, Fact> = {
  load(opening: Promise<(question: Question) => Fact>): Promise<void>;
  /** Undefined where the lookup is not possible; the source is then added to `problems`. */
  find(question: Question, problems: IpSource[]): Fact | undefined;
};

export const createSource = <Question, Fact>(
  name: IpSource,
  onProblem: OnProblem,
): Source<Question, Fact> => {
  let lookUp: ((question: Question) => Fact) | undefined;
  let isReported = false;
  const report = (error: unknown) => {
    if (!isReported) onProblem(name, `The list of ${contents[name]} fails: ${reasonOf(error)}`);
    isReported = true;
  };

  return {
    async load(opening) {
      try {
        lookUp = await opening;
      } catch (error) {
        report(error);
      }
    },
    find(question, problems) {
      try {
        if (lookUp) return lookUp(question);
      } catch (error) {
        report(error);
      }
      problems.push(name);
      return undefined;
    },
  };
};

const messageOfCode: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  EISDIR: 'it is a folder',
};

export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return messageOfCode[errorCode(error) ?? ''] ?? error.message;
};
