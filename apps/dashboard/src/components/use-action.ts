import { notifications } from '@mantine/notifications';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { errorMessage } from '../labels/errors.ts';

export type ActionOptions<Result> = {
  /** Shown when it has worked. */
  message?: string | ((result: Result) => string);
  /** The queries that the action makes outdated. */
  invalidates?: QueryKey[];
  onSuccess?: (result: Result) => void;
  /** Where it is given, the caller shows the error itself. */
  onError?: (error: Error) => void;
};

/** A change that a person makes: it is sent, its outcome is shown, and what it changed is read again. */
export const useAction = <Input = void, Result = unknown>(
  action: (input: Input) => Promise<Result>,
  { message, invalidates = [], onSuccess, onError }: ActionOptions<Result> = {},
) => {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: action,
    onSuccess: async (result) => {
      await Promise.all(invalidates.map((queryKey) => queries.invalidateQueries({ queryKey })));
      const text = typeof message === 'function' ? message(result) : message;
      if (text) notifications.show({ message: text, color: 'tide' });
      onSuccess?.(result);
    },
    onError: (error) => {
      if (onError) onError(error);
      else {
        notifications.show({
          ...{ title: 'That did not work', message: errorMessage(error), color: 'red' },
        });
      }
    },
  });
};

/** The last value that was not undefined: a dialog still shows its content while it closes. */
export const useLast = <Value>(value: Value | undefined): Value | undefined => {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  return last.current;
};
