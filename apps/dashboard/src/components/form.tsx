import { Button, Group, type InputWrapperProps, Stack, Text } from '@mantine/core';
import { type GetInputPropsReturnType, useForm } from '@mantine/form';
import type { FormEvent, ReactNode } from 'react';
import { fieldErrorsOf, isAtFields } from '../labels/errors.ts';
import { ErrorNote } from './error-note.tsx';
import { type ActionOptions, useAction } from './use-action.ts';

/** Below the input: descriptions of different lengths above them would put the inputs at different heights. */
export const inputFirst: InputWrapperProps['inputWrapperOrder'] = [
  'label',
  'input',
  'description',
  'error',
];

/** The props of an input by the name of its field; `getInputProps` of a form that has these fields. */
export type Bind<Field extends string> = (field: Field) => GetInputPropsReturnType;

type FormOptions<Result> = Omit<ActionOptions<Result>, 'onError'> & {
  /** Fields of the API whose errors belong to a field of another name. */
  fieldNames?: Record<string, string>;
};

/** A form whose values go to the API. What the service refuses is shown at the fields it names. */
export const useApiForm = <Values extends Record<string, unknown>, Result = unknown>(
  initialValues: Values,
  send: (values: Values) => Promise<Result>,
  { fieldNames = {}, ...options }: FormOptions<Result> = {},
) => {
  const form = useForm<Values>({ initialValues });
  const action = useAction(send, {
    ...options,
    onError: (error) => {
      const errors = Object.entries(fieldErrorsOf(error));
      form.setErrors(
        Object.fromEntries(errors.map(([field, text]) => [fieldNames[field] ?? field, text])),
      );
    },
  });
  const fields = [...Object.keys(initialValues), ...Object.keys(fieldNames)];
  return {
    ...form,
    action,
    isErrorAtFields: isAtFields(action.error, fields),
    submit: (event: FormEvent<HTMLFormElement>) => {
      // A dialog's form may be inside another form in React's tree.
      event.stopPropagation();
      form.onSubmit((values) => action.mutate(values))(event);
    },
  };
};

type ApiFormProps = {
  form: Pick<ReturnType<typeof useApiForm>, 'isErrorAtFields' | 'submit'> & {
    action: { error: unknown; isPending: boolean };
  };
  /** What the button says, as a verb: "Add the server". */
  label: string;
  icon?: ReactNode;
  color?: string;
  isReady?: boolean;
  /** Beside the button: why it cannot be pressed. */
  hint?: string;
  onCancel?: () => void;
  /** Said before the reason where the service refuses: "The server was not added". */
  errorTitle?: string;
  children: ReactNode;
};

export const ApiForm = (props: ApiFormProps) => {
  const { form, label, icon, color, isReady = true, hint, onCancel, errorTitle, children } = props;
  return (
    <form onSubmit={form.submit}>
      <Stack gap="md">
        {children}
        <FormError error={form.action.error} isAtFields={form.isErrorAtFields} title={errorTitle} />
        <Group justify="flex-end">
          {hint && (
            <Text size="sm" c="dimmed" w="100%" ta="right">
              {hint}
            </Text>
          )}
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button
            type="submit"
            color={color}
            leftSection={icon}
            loading={form.action.isPending}
            disabled={!isReady}
          >
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

type FormErrorProps = { error: unknown; isAtFields: boolean; title: string | undefined };

/** The reason; where the fields themselves show it, only that they do. */
export const FormError = ({ error, isAtFields: isShown, title }: FormErrorProps) => {
  if (!error) return null;
  if (!isShown) return <ErrorNote error={error} title={title} />;
  return (
    title && (
      <Text size="sm" c="var(--mantine-color-error)" role="alert">
        {title}: look at the marked fields.
      </Text>
    )
  );
};
