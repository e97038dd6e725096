import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertCircle } from '@tabler/icons-react';
import { api } from '../../api.ts';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { Section } from '../../parts/section.tsx';
import { useAccount } from '../../parts/use-account.ts';
import { useAct } from '../../parts/use-act.ts';
import { useStanding } from '../../parts/use-standing.ts';
import { moneyWords, plural } from '../../parts/words.ts';

export const DeleteAccount = () => {
  const { data: account } = useAccount();
  const [isOpen, { open, close }] = useDisclosure();
  const username = account?.username ?? '';
  const remove = useAct(() => api.deleteAccount({ body: { confirm: username } }), {
    isQuietOnError: true,
    onDone: () => location.assign('/dashboard'),
  });
  return (
    <Section title="Delete the account">
      <Group justify="space-between" gap="md">
        <Text size="sm" flex={1} miw={220}>
          Ends your account and erases your servers, members and backups here. Your communities on
          the platform stay as they are.
        </Text>
        <Button color="red" variant="outline" onClick={open} disabled={!account}>
          Delete the account
        </Button>
      </Group>
      <ConfirmDanger
        opened={isOpen}
        onClose={close}
        title="Delete the account for good"
        word={username}
        label="Delete the account"
        onConfirm={() => remove.mutateAsync()}
      >
        <Losses servers={account?._count.servers ?? 0} />
      </ConfirmDanger>
    </Section>
  );
};

const Losses = ({ servers }: { servers: number }) => (
  <Stack gap="xs">
    <Text size="sm">This cannot be undone.</Text>
    <List size="sm">
      <List.Item>{erasedWords(servers)}</List.Item>
      <List.Item>API keys and sessions end at once, this one too</List.Item>
      <List.Item>Subscriptions are cancelled, and your listings are unpublished</List.Item>
      <List.Item>Orders that are not paid are cancelled</List.Item>
    </List>
    <MoneyNote />
  </Stack>
);

const erasedWords = (servers: number): string =>
  servers === 0
    ? 'Everything that you stored here is erased'
    : `Erased: ${plural(servers, 'server')} with all members and backups`;

const MoneyNote = () => {
  const { data: standing } = useStanding();
  if (!standing) return null;
  const { creditCents, earnedCents, currency } = standing;
  return (
    <>
      {creditCents > 0 && (
        <Alert color="yellow" icon={<IconAlertCircle aria-hidden />}>
          You lose your credit of {moneyWords(creditCents, currency)}.
        </Alert>
      )}
      {earnedCents > 0 && (
        <Alert color="yellow" icon={<IconAlertCircle aria-hidden />}>
          You have earned {moneyWords(earnedCents, currency)}. Have it paid out first.
        </Alert>
      )}
    </>
  );
};
