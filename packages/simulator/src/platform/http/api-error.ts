import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';

/** An error response in the platform's form `{ code, message, errors? }`. */
export class ApiError extends Error {
  constructor(
    readonly status: ContentfulStatusCode,
    readonly code: number,
    message: string,
    readonly errors?: FormErrors,
  ) {
    super(message);
  }

  get body() {
    const body = { message: this.message, code: this.code };
    return this.errors ? { ...body, errors: this.errors } : body;
  }
}

type FormErrors = { [field: string]: FormErrors | { code: string; message: string }[] };

const unknown = (code: number, name: string) => () => new ApiError(404, code, `Unknown ${name}`);

export const unknownChannel = unknown(10003, 'Channel');
export const unknownGuild = unknown(10004, 'Guild');
export const unknownIntegration = unknown(10005, 'Integration');
export const unknownInvite = unknown(10006, 'Invite');
export const unknownMember = unknown(10007, 'Member');
export const unknownMessage = unknown(10008, 'Message');
export const unknownOverwrite = unknown(10009, 'Overwrite');
export const unknownRole = unknown(10011, 'Role');
export const unknownUser = unknown(10013, 'User');
export const unknownEmoji = unknown(10014, 'Emoji');
export const unknownWebhook = unknown(10015, 'Webhook');
export const unknownBan = unknown(10026, 'Ban');
export const unknownSticker = unknown(10060, 'Sticker');
export const unknownWelcomeScreen = unknown(10069, 'Guild Welcome Screen');
export const unknownEvent = unknown(10070, 'Guild Scheduled Event');
export const unknownSound = unknown(10097, 'Sound');
/** The platform documents no code for it. */
export const unknownAutomodRule = () => new ApiError(404, 0, '404: Not Found');

export const unauthorized = () => new ApiError(401, 0, '401: Unauthorized');
export const missingAccess = () => new ApiError(403, 50001, 'Missing Access');
export const widgetDisabled = () => new ApiError(403, 50004, 'Widget Disabled');
export const missingPermissions = () => new ApiError(403, 50013, 'Missing Permissions');
export const mfaRequired = () =>
  new ApiError(403, 60003, 'Two factor is required for this operation');
export const invalidRole = () => new ApiError(400, 50028, 'Invalid Role');
export const onboardingMustBeReadable = () =>
  new ApiError(400, 350003, 'Onboarding channels must be readable by everyone');
export const requiredByCommunity = () =>
  new ApiError(400, 50074, 'Cannot delete a channel required for Community guilds');

export const tooManyBanFetches = () =>
  new ApiError(400, 30037, 'Maximum number of bans fetches has been reached');

export const limitReached = (code: number, resource: string, limit: number) =>
  new ApiError(400, code, `Maximum number of ${resource} reached (${limit})`);

const invalidForm = (errors: FormErrors) => new ApiError(400, 50035, 'Invalid Form Body', errors);

export const invalidField = (path: (string | number)[], code: string, message: string) =>
  invalidForm(nestErrors([{ path, code, message }]));

export const tooLarge = (field: string, maximumKb: number) => {
  const message = `File cannot be larger than ${maximumKb}.0 kb.`;
  return invalidField([field], 'BINARY_TYPE_MAX_SIZE', message);
};

export const invalidFormFromIssues = (issues: z.core.$ZodIssue[]) =>
  invalidForm(
    nestErrors(
      issues.map((issue) => ({
        path: issue.path.map((part) => (typeof part === 'symbol' ? part.toString() : part)),
        ...describeIssue(issue),
      })),
    ),
  );

type FieldError = { path: (string | number)[]; code: string; message: string };

const nestErrors = (fieldErrors: FieldError[]): FormErrors => {
  const root: FormErrors = {};
  for (const { path, code, message } of fieldErrors) {
    let node = root;
    for (const part of path) {
      const child = node[String(part)];
      const next: FormErrors = child && !Array.isArray(child) ? child : {};
      node[String(part)] = next;
      node = next;
    }
    const existing = node._errors;
    node._errors = [...(Array.isArray(existing) ? existing : []), { code, message }];
  }
  return root;
};

const describeIssue = (issue: z.core.$ZodIssue): { code: string; message: string } => {
  if (issue.code === 'too_big' || issue.code === 'too_small') return describeRange(issue);
  if (issue.code === 'invalid_type' && issue.message.includes('received undefined')) {
    return { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' };
  }
  if (issue.code === 'invalid_type') {
    const code = issue.expected === 'int' || issue.expected === 'number' ? 'NUMBER' : 'BASE';
    return { code: `${code}_TYPE_COERCE`, message: `Value is not of type "${issue.expected}".` };
  }
  if (issue.code === 'invalid_value') {
    const choices = issue.values.map(String).join(', ');
    return { code: 'BASE_TYPE_CHOICES', message: `Value must be one of {${choices}}.` };
  }
  return { code: 'BASE_TYPE_BAD', message: issue.message };
};

const describeRange = (issue: z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall) => {
  const isTooBig = issue.code === 'too_big';
  const bound = isTooBig ? issue.maximum : issue.minimum;
  if (issue.origin === 'string') {
    const rule = isTooBig ? `${bound} or fewer` : `${bound} or more`;
    return { code: 'BASE_TYPE_BAD_LENGTH', message: `Must be ${rule} in length.` };
  }
  const word = isTooBig ? 'less' : 'greater';
  return {
    code: isTooBig ? 'NUMBER_TYPE_MAX' : 'NUMBER_TYPE_MIN',
    message: `int value should be ${word} than or equal to ${bound}.`,
  };
};
