import { parseDocument } from '@holdfast/contract';
import { holdsUncleanText } from '../../../http/endpoint/read-input.ts';
import type { AsideTask } from '../../../kernel/aside.ts';
import { documentBounds, parseBoundedJson } from '../../../kernel/json-bounds.ts';
import { findStoredObjects } from '../contents/inline-objects.ts';
import { encode } from '../snapshot/sections.ts';
import type { SectionName, Snapshot } from '../snapshot/snapshot.ts';
import type { Draft } from './draft.ts';
import { nameOfImage } from './images.ts';
import { readDocument } from './read-document.ts';
import { documentSections } from './sections.ts';

type ImportedDocument = {
  draft: Uint8Array;
  components: SectionName[];
  /** The names of all images that it refers to. */
  images: string[];
};

/** The draft that a document makes over what is known of the server, or what is wrong with it. */
export const importDocumentTask: AsideTask<
  { base: Snapshot },
  { json: Uint8Array; images: Draft['images'] },
  ImportedDocument | { issues: string[] }
> = {
  name: 'backups.importDocument',
  run({ base }, { json, images }) {
    const parsed = parseGiven(json);
    if ('issues' in parsed) return parsed;
    const read = readDocument(parsed.document, base);
    if ('issues' in read) return read;
    const { snapshot } = read;
    return {
      draft: encode({ snapshot, images } satisfies Draft),
      components: documentSections.filter((name) => snapshot[name] !== undefined),
      images: [...new Set(findStoredObjects(snapshot).map(nameOfImage))],
    };
  },
};

const parseGiven = (json: Uint8Array): ReturnType<typeof parseDocument> => {
  const parsed = parseBoundedJson(json, documentBounds);
  if ('problem' in parsed) return { issues: [`The document ${parsed.problem}`] };
  if (holdsUncleanText(parsed.value))
    return { issues: ['Must not contain NUL or lone surrogates'] };
  return parseDocument(parsed.value);
};
