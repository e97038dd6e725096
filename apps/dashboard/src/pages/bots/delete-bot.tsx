import { Stack, Text } from '@mantine/core';
import { api } from '../../api.ts';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { Name } from '../../parts/name.tsx';
import { useAct } from '../../parts/use-act.ts';
import type { Bot } from './bot-changes.ts';

type DeleteBotProps = { bot: Bot | undefined; onClose: () => void };

export const DeleteBot = ({ bot, onClose }: DeleteBotProps) => {
  const remove = useAct((id: string) => api.deleteBot({ params: { id } }), {
    ...{ done: 'The bot was deleted', touches: [['bots'], ['account']], isQuietOnError: true },
  });
  return (
    <ConfirmDanger
      opened={bot !== undefined}
      onClose={onClose}
      title="Delete this bot"
      word={bot?.name}
      label="Delete the bot"
      onConfirm={async () => bot && remove.mutateAsync(bot.id)}
    >
      <Stack gap="xs">
        <Text size="sm">
          Holdfast forgets the token and the secret of <Name>{bot?.name ?? ''}</Name>, and the
          consent that members gave through it: nobody can be called back with it any more. At the
          platform the bot stays as it is.
        </Text>
        <Text size="sm">
          A bot that looks after a server cannot be deleted. Give that server another bot in its
          settings first.
        </Text>
      </Stack>
    </ConfirmDanger>
  );
};
