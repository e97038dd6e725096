import { type McpServerOptions, serveMcpStdio } from '@holdfast/mcp';
import { createHoldfast } from '@holdfast/sdk';

type Connected = Pick<McpServerOptions, 'key' | 'onFailure'> & { url: string };

/**
 * A module of its own, because the published file keeps it apart: with the SDK that the tools use,
 * so that they know its errors.
 */
export const serveMcp = ({ url, key, onFailure }: Connected): Promise<void> =>
  serveMcpStdio({
    ...{ holdfast: createHoldfast({ baseUrl: url, key }), key, onFailure },
    async readDocument(path) {
      const response = await fetch(`${url}${path}`);
      return response.ok ? response.text() : undefined;
    },
  });
