/** A large result that was encoded elsewhere already, through the contract as any other. */
export class EncodedAnswer {
  constructor(readonly body: Uint8Array<ArrayBuffer>) {}
}
