import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Note } from '../../components/page.tsx';
import { formatInterval } from '../../labels/format.ts';
import { accountQuery } from '../../queries/account.ts';
import type { ProtectionForm } from './use-protection.ts';

/** Said before anything is sent: a weakening alerts, waits and asks for a code. */
export const WeakeningNote = ({ form }: { form: ProtectionForm }) => {
  const { data: account } = useQuery(accountQuery);
  const { weakened, protection } = form;
  if (weakened.length === 0) return null;
  const delay = protection.disableDelayMinutes;
  return (
    <Note tone="warning" title="This weakens protection">
      <Text size="sm">
        {weakened.join(', ')}. You get an alert at once.{' '}
        {delay > 0
          ? `It takes effect in ${formatInterval(delay * 60_000)}; until then it can be taken back here.`
          : 'It takes effect at once.'}{' '}
        {account?.mfaEnabled && 'Saving asks for a code of your second factor.'}
      </Text>
    </Note>
  );
};
