import { z } from 'zod';
import { atLeastOneOf, idParams, name, text, url } from './common.ts';
import { endpointsOf } from './endpoint.ts';
import { pictureId } from './uploads.ts';

/** What WCAG 2.2 demands of normal text. */
export const leastContrast = 4.5;

/** The contrast of two colours such as `#5B6B7F`, by WCAG: from 1 to 21. */
export const contrast = (one: string, other: string): number => {
  const [lighter = 0, darker = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
};

const luminanceOf = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};

const colorPattern = /^#[0-9A-Fa-f]{6}$/;

const accent = z
  .string()
  .regex(colorPattern, 'Must be a colour such as #2F5D62')
  .refine(
    // The pattern has its own message.
    (color) => !colorPattern.test(color) || contrast(color, '#FFFFFF') >= leastContrast,
    `White text on it must have a contrast of at least ${leastContrast}: choose a darker colour`,
  )
  .meta({ example: '#2F5D62' });

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
