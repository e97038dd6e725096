import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Moment } from '../../components/display.tsx';
import { useNow } from '../../components/job-progress.tsx';
import { Note, TextLink } from '../../components/page.tsx';
import { formatClock, formatCount, formatInterval } from '../../labels/format.ts';
import { accountQuery } from '../../queries/account.ts';

/** When the next pull is possible, as a time and in minutes from now. */
export const CooldownNote = ({ until }: { until: number }) => {
  const now = useNow(true);
  const remainingMs = until - now;
  return (
    <Note title="Not possible yet">
      <Text size="sm" className="holdfast-number">
        {remainingMs > 0 ? (
          <>
            Possible in {formatInterval(remainingMs)}, at{' '}
            <Moment at={new Date(until).toISOString()} isExact />. <CooldownRule />
          </>
        ) : (
          'It is possible now.'
        )}
      </Text>
    </Note>
  );
};

type CooldownLineProps = { until: number; members: number };

/** The same as one quiet line, where nobody waits for it. */
export const CooldownLine = ({ until, members }: CooldownLineProps) => {
  const isOver = until <= useNow(true);
  const whom = members === 1 ? 'this member' : `these ${formatCount(members)}`;
  const at = isOver ? 'Now' : `From ${formatClock(new Date(until).toISOString())}`;
  return (
    <Text size="sm" c="dimmed" className="holdfast-number">
      {`${at} you can add ${whom} to another server of yours, too. `}
      <CooldownRule />
    </Text>
  );
};

/** The same in a few words, beside the button that waits for it. */
export const CooldownLeft = ({ until }: { until: number }) => {
  const remainingMs = until - useNow(true);
  return (
    <Text size="sm" className="holdfast-number">
      {remainingMs > 0 ? `Possible in ${formatInterval(remainingMs)}` : 'Possible now'}
    </Text>
  );
};

/** The cooldown of the plan. */
export const CooldownRule = () => {
  const { data: account } = useQuery(accountQuery);
  if (!account) return null;
  const { pullCooldownMs } = account.limits;
  if (pullCooldownMs === 0) return 'Your plan has no cooldown.';
  return (
    <>
      Your plan allows one run every {formatInterval(pullCooldownMs)} per server. A run that tried
      nobody does not count. <TextLink to="/billing">Compare the plans</TextLink>
    </>
  );
};
