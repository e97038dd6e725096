import { useState } from 'react';
import { api } from '../api.ts';
import { useAccount } from './use-account.ts';

/**
 * The code that goes before a dangerous act, for those who have a second factor. Each counts once and
 * holds for a moment, so it is not shown a second time where only the act itself failed.
 */
export const useFreshCode = () => {
  const { data: account } = useAccount();
  const isNeeded = account?.mfaEnabled === true;
  const [code, setCode] = useState('');
  const [takenCode, setTakenCode] = useState<string>();
  const show = async (): Promise<void> => {
    if (!isNeeded || code === takenCode) return;
    await api.confirmSession({ body: { code } });
    setTakenCode(code);
  };
  return { isNeeded, isReady: !isNeeded || code.trim().length >= 6, code, setCode, show };
};
