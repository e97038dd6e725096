import { Badge, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Moment } from '../../parts/moment.tsx';
import { Name } from '../../parts/name.tsx';
import { Picture } from '../../parts/picture.tsx';
import type { Bot } from './bot-changes.ts';

type BotCardProps = { bot: Bot; onEdit: () => void; onDelete: () => void };

export const BotCard = ({ bot, onEdit, onDelete }: BotCardProps) => (
  <Paper withBorder p="lg" component="article" aria-labelledby={`bot-${bot.id}`}>
    <Group justify="space-between" gap="md">
      <Group gap="md" wrap="nowrap" miw={0}>
        <Picture src={bot.avatar} size={48} />
        <Stack gap={2} miw={0}>
          <Group gap="xs">
            <Title order={2} size="h5" id={`bot-${bot.id}`}>
              <Name>{bot.name}</Name>
            </Title>
            <Badge variant="light" color={bot.isActive ? 'green' : 'red'} tt="none">
              {bot.isActive ? 'on' : 'off'}
            </Badge>
          </Group>
          <Text size="sm" c="dimmed">
            Application <span className="holdfast-number">{bot.clientId}</span>, added{' '}
            <Moment at={bot.createdAt} />
          </Text>
        </Stack>
      </Group>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={onEdit} aria-describedby={`bot-${bot.id}`}>
          Edit
        </Button>
        <Button
          variant="subtle"
          color="red"
          size="xs"
          onClick={onDelete}
          aria-describedby={`bot-${bot.id}`}
        >
          Delete
        </Button>
      </Group>
    </Group>
    {bot.isActive && bot.trouble !== null && (
      <Text size="sm" mt="sm" c="red">
        The platform refuses its client secret, so nobody can verify. Edit it to give it a new one.
      </Text>
    )}
    {!bot.isActive && (
      <Text size="sm" mt="sm">
        Either you switched it off, or the platform refused its token. Edit it to give it a new
        token or to switch it on again; the token is checked then.
      </Text>
    )}
  </Paper>
);
