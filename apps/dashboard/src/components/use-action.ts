import { notifications } from '@mantine/notifications';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { errorMessage } from '../labels/errors.ts';
import { showUndoToast } from './undo-toast.tsx';

export type ActionOptions<Result> = {
  /** Shown when it has worked. */
  message?: string | ((result: Result) => string);
  /** The queries that the action makes outdated. */
  invalidates?: QueryKey[];
  onSuccess?: (result: Result) => void;
  /** Where it is given, the caller shows the error itself. */
  onError?: (error: Error) => void;
};

/** Takes it back: offered beside the message. */
type Undoable<Input> = { undo?: (input: Input) => Promise<unknown> };

/** A change that a person makes: it is sent, its outcome is shown, and what it changed is read again. */
export const useAction = <Input = void, Result = unknown>(
  action: (input: Input) => Promise<Result>,
  options: ActionOptions<Result> & Undoable<Input> = {},
) => {
  const { message, invalidates = [], undo, onSuccess, onError } = options;
  const queries = useQueryClient();
  const readAgain = () =>
    Promise.all(invalidates.map((queryKey) => queries.invalidateQueries({ queryKey })));
  return useMutation({
    mutationFn: action,
    onSuccess: async (result, input) => {
      await readAgain();
      const text = typeof message === 'function' ? message(result) : message;
      if (text && undo) showUndoToast(text, () => undo(input).then(readAgain));
      else if (text) notifications.show({ message: text, color: 'tide' });
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
