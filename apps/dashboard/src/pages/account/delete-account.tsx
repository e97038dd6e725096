import { List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { DangerSection } from '../../components/confirm.tsx';
import { Note } from '../../components/page.tsx';
import { formatMoney, plural } from '../../labels/format.ts';
import { accountQuery } from '../../queries/account.ts';
import { billingStatusQuery } from '../../queries/billing.ts';

export const DeleteAccount = () => {
  const { data: account } = useQuery(accountQuery);
  if (!account) return null;
  return (
    <DangerSection
      label="Delete the account"
      note="Closes your account and erases your servers, members and backups here. Your communities on the platform stay as they are."
      title="Delete the account for good"
      word={account.username}
      action={() => api.deleteAccount({ body: { confirm: account.username } })}
      onSuccess={() => location.assign('/dashboard')}
    >
      <Losses servers={account._count.servers} />
    </DangerSection>
  );
};

const Losses = ({ servers }: { servers: number }) => (
  <Stack gap="xs">
    <Text size="sm">This cannot be undone.</Text>
    <List size="sm">
      <List.Item>
        {servers === 0
          ? 'Everything that you stored here is erased'
          : `Erased: ${plural(servers, 'server')} with all members and backups`}
      </List.Item>
      <List.Item>API keys and sessions end at once, this one too</List.Item>
      <List.Item>Subscriptions are cancelled, and your listings are unpublished</List.Item>
      <List.Item>
        Orders end that are not paid or free, or of which the seller reported nothing delivered;
        what you paid for them becomes credit, which you lose
      </List.Item>
    </List>
    <MoneyNotes />
  </Stack>
);

const MoneyNotes = () => {
  const { data: billing } = useQuery(billingStatusQuery);
  if (!billing) return null;
  const { creditCents, earnedCents, currency } = billing;
  const notes = [
    creditCents > 0 && `You lose your credit of ${formatMoney(creditCents, currency)}.`,
    earnedCents > 0 &&
      `You have earned ${formatMoney(earnedCents, currency)}. Request a payout first.`,
  ].filter((note) => note !== false);
  return notes.map((note) => (
    <Note key={note} tone="warning">
      {note}
    </Note>
  ));
};
