import { notifications } from '@mantine/notifications';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { errorWords } from './error-words.ts';

type ActOptions<Result> = {
  /** Said when it has worked. */
  done?: string | ((result: Result) => string);
  /** What is to be asked anew afterwards. */
  touches?: QueryKey[];
  onDone?: (result: Result) => void;
  /** The form shows itself what was wrong. */
  isQuietOnError?: boolean;
};

/** Something a person does: it is carried out, they are told how it went, and what it changed is read anew. */
export const useAct = <Input = void, Result = unknown>(
  act: (input: Input) => Promise<Result>,
  { done, touches = [], onDone, isQuietOnError = false }: ActOptions<Result> = {},
) => {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: async (result) => {
      await Promise.all(touches.map((queryKey) => queries.invalidateQueries({ queryKey })));
      const message = typeof done === 'function' ? done(result) : done;
      if (message) notifications.show({ message, color: 'tide' });
      onDone?.(result);
    },
    onError: (error) => {
      if (isQuietOnError) return;
      notifications.show({ title: 'That did not work', message: errorWords(error), color: 'red' });
    },
  });
};
