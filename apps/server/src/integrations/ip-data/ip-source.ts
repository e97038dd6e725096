export type IpSource = 'country' | 'asn' | 'vpn';

const contents: Record<IpSource, string> = {
  country: 'countries',
  asn: 'networks',
  vpn: 'hosting and VPN networks',
};

/** Told when a source fails: once for each. */
export type OnProblem = (source: IpSource, sentence: string) => void;

/** A source of facts that may be there only later or never, and may fail when it is asked. */
export type Source<Question, Fact> = {
  fill(opening: Promise<(question: Question) => Fact>): Promise<void>;
  /** Undefined where it cannot be asked; then its name is among the problems. */
  ask(question: Question, problems: IpSource[]): Fact | undefined;
};

export const createSource = <Question, Fact>(
  name: IpSource,
  onProblem: OnProblem,
): Source<Question, Fact> => {
  let find: ((question: Question) => Fact) | undefined;
  let isReported = false;
  const report = (error: unknown) => {
    if (!isReported) onProblem(name, `The list of ${contents[name]} fails: ${reasonOf(error)}`);
    isReported = true;
  };

  return {
    async fill(opening) {
      try {
        find = await opening;
      } catch (error) {
        report(error);
      }
    },
    ask(question, problems) {
      try {
        if (find) return find(question);
      } catch (error) {
        report(error);
      }
      problems.push(name);
      return undefined;
    },
  };
};

const wordsFor: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'it may not be read',
  EISDIR: 'it is a folder',
};

export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return wordsFor[code] ?? error.message;
};
