import { type ChangeEvent, useState } from 'react';
import { fieldError } from './error-words.ts';

/** The text fields of a form: what stands in them, and what the service said against each. */
export const useTextFields = <Field extends string>(initial: Record<Field, string>) => {
  const [values, setValues] = useState(initial);
  const bindWith = (error: unknown) => (field: Field) => ({
    value: values[field],
    onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) =>
      setValues((before) => ({ ...before, [field]: value })),
    error: fieldError(error, field),
  });
  return { values, bindWith };
};

/** What an input of one field is given. */
export type Bind<Field extends string> = (field: Field) => {
  value: string;
  onChange: (event: ChangeEvent<HTMLInputElement>) => void;
  error: string | undefined;
};
