import type { RuleType } from '@holdfast/contract';
import { useState } from 'react';
import { fieldError } from '../../parts/error-words.ts';
import { useAct } from '../../parts/use-act.ts';
import { useServer } from '../../parts/use-server.ts';
import { ruleWords } from './find-rules.ts';
import type { RuleList } from './rule-lists.ts';

/** A rule as far as it is typed in, and what the service said to it. */
export const useNewRule = (list: RuleList) => {
  const { id } = useServer();
  const [type, setType] = useState<RuleType>('USER_ID');
  const [value, setValue] = useState('');
  const [note, setNote] = useState('');
  const add = useAct(() => list.add(id, { type, value: value.trim(), note: note || null }), {
    done: (rule) => `The rule for ${ruleWords(rule)} holds from now on.`,
    touches: [
      [list.name, id],
      ['server', id],
    ],
    isQuietOnError: true,
    onDone: () => {
      setValue('');
      setNote('');
    },
  });
  const chooseType = (chosen: RuleType | null) => {
    if (chosen) setType(chosen);
    setValue('');
    add.reset();
  };
  const errors = { value: fieldError(add.error, 'value'), note: fieldError(add.error, 'note') };
  const otherError = errors.value || errors.note ? null : add.error;
  return { type, value, note, chooseType, setValue, setNote, add, errors, otherError };
};
