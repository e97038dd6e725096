import { z } from 'zod';
import { accentProblem, colorPattern } from './checks.ts';
import { atLeastOneOf, idParams, name, text, url } from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { pictureId } from './uploads.ts';

const accent = z
  .string()
  .superRefine((color, context) => {
    const message = accentProblem(color);
    if (message) context.addIssue({ code: 'custom', message });
  })
  .meta({ pattern: colorPattern.source, example: '#2F5D62' });

const settings = z.object({
  title: name.nullable().meta({
    description: "The page's heading; null for the usual one.",
    example: 'Welcome to the harbour',
  }),
  welcome: text(0, 1000).nullable().meta({
    description: 'Plain text above what is asked of newcomers; line breaks stay.',
    example: 'Good to see you. Read the rules before you come in.',
  }),
  accent: accent.nullable().describe('Buttons and links; the colour of dark pages is derived.'),
  logoUploadId: pictureId,
  backgroundUploadId: pictureId,
});

export const verifyPage = settings
  .extend({
    logoUrl: url.nullable(),
    backgroundUrl: url.nullable(),
  })
  .meta({ id: 'VerifyPage' });

export const verifyPageEndpoints = endpointsOf('Verify page', {
  getVerifyPage: {
    method: 'GET',
    path: '/servers/:id/verify-page',
    summary: "Read a server's verify page",
    scope: 'verify-page:read',
    owner: 'server',
    params: idParams,
    data: verifyPage,
  },
  updateVerifyPage: {
    method: 'PUT',
    path: '/servers/:id/verify-page',
    summary: "Change a server's verify page",
    description:
      'What newcomers see on the pages on which they verify. Null takes a field back to its default.',
    scope: 'verify-page:write',
    freshSecondFactor: 'never',
    owner: 'server',
    params: idParams,
    body: atLeastOneOf(settings),
    data: verifyPage,
  },
});
