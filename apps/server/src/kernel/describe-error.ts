/** An error as a log line shows it. */
type DescribedError = { type: string; message: string; stack: string } & Record<string, unknown>;

/** Fields that hold names and codes, never values of a user. */
const factNames = ['code', 'errno', 'kind', 'status', 'severity', 'constraint', 'table', 'routine'];

/** More than any known error nests. */
const deepest = 5;
const mostOfAggregate = 10;

/**
 * An error without personal data and secrets. The error of a failed statement carries its parameters, in
 * a field and in the message, and PostgreSQL quotes values in its details: members' names, hashes, sealed
 * secrets. The error of a Redis command carries its arguments, the password among them. So only the
 * fields listed above are copied, and messages are redacted; the same for every cause and for the parts
 * of an AggregateError.
 */
export const describeError = (error: unknown, depth = 0): unknown => {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error;
  const message = redactedMessage(error);
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

/** The code of a system or library error, such as ENOENT. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;

/** The same error for the queue, which stores every field of an error and of its causes. */
export const redactError = (error: unknown): Error => {
  if (!(error instanceof Error)) return new Error(`Something was thrown: ${typeof error}`);
  const redacted = new Error(redactedMessage(error));
  redacted.name = error.name;
  redacted.stack = framesOf(error);
  return redacted;
};

export const redactedMessage = (error: Error): string => {
  if ('query' in error && 'params' in error) return `Failed query: ${error.query}`;
  // A failed Redis command: Redis quotes the arguments of a command that it does not know.
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

/** The stack's frames, without the message in front of them. */
const framesOf = ({ message, stack = '' }: Error): string => {
  const end = stack.indexOf(message);
  const frames = end === -1 ? stack : stack.slice(end + message.length);
  return frames
    .split('\n')
    .filter((line) => /^\s+at .*:\d+(:\d+)?\)?$/.test(line))
    .join('\n');
};
