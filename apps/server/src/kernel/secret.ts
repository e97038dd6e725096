const hidden = '[secret]';

/** A value that cannot be logged, printed or serialized by accident. Only `reveal` shows it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return hidden;
  }

  toJSON(): string {
    return hidden;
  }

  [Symbol.toPrimitive](): string {
    return hidden;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return hidden;
  }
}
