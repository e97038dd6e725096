import { TextInput } from '@mantine/core';
import type { GetInputPropsReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api.ts';
import { accountQuery } from '../queries/account.ts';

export const CodeInput = (field: GetInputPropsReturnType) => (
  <TextInput
    label="Code of your authenticator, or a recovery code"
    inputMode="numeric"
    autoComplete="one-time-code"
    maxLength={40}
    {...field}
  />
);

/** Six digits of an authenticator, or a recovery code, which is longer. */
export const isWholeCode = (code: string): boolean => code.trim().length >= 6;

/**
 * Confirms the session with a code before a dangerous action, for accounts with a second factor. A code
 * counts once and the confirmation holds for a moment, so it is not sent again where only the action
 * failed.
 */
export const useFreshCode = () => {
  const { data: account } = useQuery(accountQuery);
  const isNeeded = account?.mfaEnabled === true;
  const [acceptedCode, setAcceptedCode] = useState<string>();
  const confirm = async (code: string): Promise<void> => {
    if (!isNeeded || code === acceptedCode) return;
    await api.confirmSession({ body: { code } });
    setAcceptedCode(code);
  };
  return { isNeeded, isReady: (code: string) => !isNeeded || isWholeCode(code), confirm };
};
