import { Alert, Anchor, Text } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { Link } from 'react-router';
import { Moment } from '../../parts/moment.tsx';
import { useAccount } from '../../parts/use-account.ts';
import { useNow } from '../../parts/use-now.ts';
import { durationWords, plural } from '../../parts/words.ts';

/** When the next pull is possible: as a time, and as what is left until then. */
export const CooldownNote = ({ until }: { until: number }) => {
  const now = useNow(true);
  const leftMs = until - now;
  return (
    <Alert color="blue" icon={<IconClock aria-hidden />} title="The next pull is not possible yet">
      <Text size="sm" className="holdfast-number">
        {leftMs > 0 ? (
          <>
            Possible at <Moment at={new Date(until).toISOString()} isExact />, in{' '}
            {durationWords(leftMs / 1000)}. <CooldownRule />
          </>
        ) : (
          'It is possible now.'
        )}
      </Text>
    </Alert>
  );
};

/** What the plan says about it. */
export const CooldownRule = () => {
  const { data: account } = useAccount();
  if (!account) return null;
  const { pullCooldownMs } = account.limits;
  if (pullCooldownMs === 0) return 'Your plan lets you pull as often as you like.';
  return (
    <>
      Your plan allows one pull of a server every {intervalWords(pullCooldownMs)}; a pull that
      called nobody does not count.{' '}
      <Anchor component={Link} to="/billing" inherit underline="always">
        Compare the plans
      </Anchor>
    </>
  );
};

const intervalWords = (ms: number): string => {
  const minutes = Math.round(ms / 60_000);
  return minutes % 60 === 0 ? plural(minutes / 60, 'hour') : plural(minutes, 'minute');
};
