import { type CommunityDocument, communityDocument } from '@holdfast/contract';

/** A document as somebody writes it by hand: the contract's own example. */
export const smallDocument: CommunityDocument = communityDocument.parse(
  communityDocument.meta()?.example,
);
