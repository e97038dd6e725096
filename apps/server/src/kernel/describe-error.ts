/** What a log line tells of an error. */
type DescribedError = { type: string; message: string; stack: string } & Record<string, unknown>;

/** Facts that help and are nobody's: names and codes, never values. */
const factNames = ['code', 'errno', 'kind', 'status', 'severity', 'constraint', 'table', 'routine'];

/** Deeper or wider than any error that we know of is nested. */
const deepest = 5;
const mostOfAggregate = 10;

/**
 * An error as the log shows it. A failed statement's error carries its parameters, in a field and in the
 * message, and PostgreSQL quotes values in its details: members' names, hashes, sealed secrets. That of a
 * Redis command carries its arguments, the password among them. So only facts that are listed above are
 * taken over, and messages are cleaned. The same holds for every cause
 * and for the parts of an AggregateError.
 */
export const describeError = (error: unknown, depth = 0): unknown => {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error;
  const message = cleanMessage(error);
  const described: DescribedError = { type: error.name, message, stack: framesOf(error) };
  for (const name of factNames) {
    const value: unknown = Reflect.get(error, name);
    if (typeof value === 'string' || typeof value === 'number') described[name] = value;
  }
  if (depth === deepest) return described;
  if (error.cause !== undefined) described.cause = describeError(error.cause, depth + 1);
  if (error instanceof AggregateError) {
    const parts: unknown[] = error.errors.slice(0, mostOfAggregate);
    described.errors = parts.map((part) => describeError(part, depth + 1));
  }
  return described;
};

/** The same failure for the queue, which writes down every field of an error and of its causes. */
export const withoutValues = (error: unknown): Error => {
  if (!(error instanceof Error)) return new Error(`Something was thrown: ${typeof error}`);
  const cleaned = new Error(cleanMessage(error));
  cleaned.name = error.name;
  cleaned.stack = framesOf(error);
  return cleaned;
};

/** Its message without values. */
export const cleanMessage = (error: Error): string => {
  if ('query' in error && 'params' in error) return `Failed query: ${error.query}`;
  // A Redis command that failed: Redis quotes the arguments of a command that it does not know.
  if ('command' in error) {
    return error.message
      .replace(/,? with args beginning with:.*/s, '')
      .replace(/(['"`]).*?\1/gs, '…');
  }
  // Class 22, data exceptions: `invalid input syntax for type uuid: "the value"`.
  const state = 'errno' in error ? error.errno : 'code' in error ? error.code : undefined;
  const quotesValues = typeof state === 'string' && /^22...$/.test(state);
  return quotesValues ? error.message.replace(/".*"/s, '"…"') : error.message;
};

/** Without the message, with which a stack begins. */
const framesOf = ({ message, stack = '' }: Error): string => {
  const end = stack.indexOf(message);
  const frames = end === -1 ? stack : stack.slice(end + message.length);
  return frames
    .split('\n')
    .filter((line) => /^\s+at .*:\d+(:\d+)?\)?$/.test(line))
    .join('\n');
};
