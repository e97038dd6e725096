import type { KeyScope } from '@holdfast/contract';
import { useState } from 'react';
import { api } from '../../api.ts';
import { fieldError } from '../../parts/error-words.ts';
import { useAct } from '../../parts/use-act.ts';
import { useFreshCode } from '../../parts/use-fresh-code.ts';
import { endOfDay } from './expiry-day.ts';
import type { Minted } from './mint-key.tsx';

/** A key as far as it is described, and what the service said to it. */
export const useNewKey = (onMinted: (minted: Minted) => void) => {
  const [name, setName] = useState('');
  const [lastDay, setLastDay] = useState('');
  const [scopes, setScopes] = useState<KeyScope[]>([]);
  const freshCode = useFreshCode();
  const act = async () => {
    await freshCode.show();
    return api.createKey({ body: { name, scopes, expiresAt: endOfDay(lastDay) } });
  };
  const mint = useAct(act, { touches: [['keys']], isQuietOnError: true, onDone: onMinted });
  const errorOf = (field: string) => fieldError(mint.error, field);
  const isAtField = ['name', 'scopes', 'expiresAt', 'code'].some(errorOf);
  return {
    ...{ name, setName, lastDay, setLastDay, scopes, setScopes },
    ...{ freshCode, mint, errorOf, otherError: isAtField ? null : mint.error },
    isReady: name.trim() !== '' && scopes.length > 0 && freshCode.isReady,
  };
};
