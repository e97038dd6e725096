/** The step depends on something that another step failed to create. */
export class DependencyMissing extends Error {
  constructor(what: string) {
    super(`The ${what} it concerns was not made`);
    this.name = 'DependencyMissing';
  }
}
