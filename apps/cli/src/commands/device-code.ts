import { hostname } from 'node:os';
import { type DeviceLogin, type DeviceLoginOptions, logInByDevice } from '@holdfast/sdk';
import { userAgent } from '../auth/client-options.ts';
import type { Context } from '../context.ts';
import { textOf, textsOf } from '../option-values.ts';
import { clean } from '../output/style.ts';

/** Shows a code, and waits until its owner has approved it in the dashboard, on whatever machine. */
export const logInByCode = (
  { io, output }: Context,
  url: string,
  options: Record<string, unknown>,
): Promise<DeviceLogin> => {
  const scopes = textsOf(options.scopes).flatMap((part) => part.split(','));
  return logInByDevice({
    ...{ baseUrl: url, userAgent },
    name: (textOf(options.name) ?? hostname()).slice(0, 64),
    // The service refuses names that are no scopes.
    ...(scopes.length > 0 && { scopes: scopes as DeviceLoginOptions['scopes'] }),
    onCode(code) {
      output.emit({ event: 'code', ...code });
      const { bold } = output.noteStyle;
      // Also where nobody reads standard output: without it there is no way on.
      io.stderr.write(
        `Open ${clean(code.verificationUrlComplete)}\nand approve the code ${bold(clean(code.userCode))}. Waiting …\n`,
      );
    },
  });
};
