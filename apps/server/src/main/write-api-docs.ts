import { defaultPlans, endpoints, openApiDocument } from '@holdfast/contract';
import packageJson from '../../package.json';
import { referenceMarkdown } from '../http/reference/markdown.ts';

export const apiDocsPath = new URL('../../../../docs/api.md', import.meta.url);

/** docs/api.md as the contract would have it now. */
export const apiDocs = (): string => {
  const { version } = packageJson;
  const description = openApiDocument(endpoints, { version, baseUrl: 'http://localhost:3000' });
  return referenceMarkdown(description, (plan) => defaultPlans[plan]);
};

if (import.meta.main) await Bun.write(apiDocsPath, apiDocs());
