import { HoldfastError } from '@holdfast/sdk';
import { Text } from '@mantine/core';
import { ErrorNote } from './error-note.tsx';

/** Where the fields themselves say what is wrong, only that they do; else the reason. */
export const FormError = ({ error, title }: { error: unknown; title: string }) => {
  if (!error) return null;
  const isInFields =
    error instanceof HoldfastError &&
    error.is('invalidInput') &&
    error.details.formErrors.length === 0;
  if (!isInFields) return <ErrorNote error={error} title={title} />;
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {title}: look at the marked fields.
    </Text>
  );
};
