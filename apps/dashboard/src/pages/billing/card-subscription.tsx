import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconExternalLink } from '@tabler/icons-react';
import { api } from '../../api.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { useAction } from '../../components/use-action.ts';
import { cardMessage, planLabels } from '../../labels/billing.ts';
import { formatTime } from '../../labels/format.ts';
import { changedBySubscription } from '../../queries/billing.ts';
import type { Account, BillingStatus, CardSubscription } from '../../queries/records.ts';

type CardActionsProps = { account: Account; billing: BillingStatus };

/** What can be done with the card subscription, and the way to the provider's own pages. */
export const CardActions = ({ account, billing }: CardActionsProps) => {
  const { card, hasReceipts } = billing;
  if (!card && !hasReceipts) return null;
  // A granted plan, or months paid in advance, may be in force beside it.
  const isBeside = card !== null && billing.provider !== 'CARD' && account.plan !== 'FREE';
  return (
    <>
      {card && isBeside && <Text size="sm">{cardMessage(card)}</Text>}
      <Group gap="sm">
        {card?.cancelledAt && <Resume />}
        {card && !card.cancelledAt && card.nextPlan && <KeepPlan card={card} />}
        {card && !card.cancelledAt && <Cancel card={card} />}
        {hasReceipts && <OpenPortal />}
      </Group>
    </>
  );
};

const Resume = () => {
  const resume = useAction(() => api.resumeSubscription(), {
    message: 'Your subscription renews again.',
    invalidates: changedBySubscription,
  });
  return (
    <Button loading={resume.isPending} onClick={() => resume.mutate()}>
      Resume the subscription
    </Button>
  );
};

/** Takes a lower plan back that has not begun. */
const KeepPlan = ({ card: { plan } }: { card: CardSubscription }) => {
  const [isOpen, { open, close }] = useDisclosure();
  if (plan === 'FREE') return null;
  const label = `Keep ${planLabels[plan]}`;
  return (
    <>
      <Button onClick={open}>{label}</Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={close}
        title={`${label}?`}
        label={label}
        color="tide"
        isDangerous
        action={() => api.changeSubscription({ body: { plan } })}
        message={`You keep ${planLabels[plan]}.`}
        invalidates={changedBySubscription}
      >
        The change to a lower plan is taken back. Nothing is charged now.
      </ConfirmDialog>
    </>
  );
};

const Cancel = ({ card }: { card: CardSubscription }) => {
  const [isOpen, { open, close }] = useDisclosure();
  const end = formatTime(card.currentPeriodEnd);
  return (
    <>
      <Button variant="default" onClick={open}>
        Cancel the subscription
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={close}
        title="Cancel the subscription?"
        label="Cancel the subscription"
        color="red"
        action={() => api.cancelSubscription()}
        message={`Cancelled. You keep ${planLabels[card.plan]} until ${end}.`}
        invalidates={changedBySubscription}
      >
        You keep {planLabels[card.plan]} until {end} and are not charged again. After that you
        continue on the Free plan: nothing is deleted, but what Free does not include stops. Until
        then you can resume at any time.
      </ConfirmDialog>
    </>
  );
};

const OpenPortal = () => {
  const open = useAction(() => api.openBillingPortal(), {
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <Button
      variant="subtle"
      rightSection={<IconExternalLink size={16} aria-hidden />}
      loading={open.isPending || open.isSuccess}
      onClick={() => open.mutate()}
    >
      Card details at the provider
    </Button>
  );
};
