import {
  type McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

/** Reads a public page of the service, such as `/openapi.json`; undefined where there is none. */
export type ReadDocument = (path: string) => Promise<string | undefined>;

const scheme = 'holdfast://';
const guideList = z.array(z.object({ name: z.string(), title: z.string() }));

/** The documentation that everybody can read at the service's own address. */
export const registerResources = (server: McpServer, readDocument: ReadDocument): void => {
  const read = async (path: string): Promise<string> => {
    const text = await readDocument(path);
    if (text === undefined) throw new ResourceNotFoundError(path);
    return text;
  };
  for (const { name, uri, path, ...metadata } of documents) {
    server.registerResource(name, uri, metadata, async () => ({
      contents: [{ uri, mimeType: metadata.mimeType, text: await read(path) }],
    }));
  }
  const mimeType = 'text/markdown';
  const list = async () => ({
    resources: guideList.parse(JSON.parse(await read('/guides/index.json'))).map((guide) => ({
      ...{ uri: `${scheme}guides/${guide.name}`, ...guide, mimeType },
    })),
  });
  server.registerResource(
    'guide',
    new ResourceTemplate(`${scheme}guides/{name}`, { list }),
    { title: 'Guides', description: 'Step by step, for owners and operators.', mimeType },
    async (uri, { name }) => {
      const text = await read(`/guides/${encodeURIComponent(String(name))}.md`);
      return { contents: [{ uri: uri.href, mimeType, text }] };
    },
  );
};

const documents = [
  {
    name: 'openapi',
    uri: `${scheme}openapi.json`,
    path: '/openapi.json',
    title: 'OpenAPI document',
    description: 'The whole API as OpenAPI 3.1.',
    mimeType: 'application/json',
  },
  {
    name: 'api-reference',
    uri: `${scheme}api.md`,
    path: '/docs/api.md',
    title: 'API reference',
    description: 'Every operation with its fields, scopes, errors and limits.',
    mimeType: 'text/markdown',
  },
];
