import { Box, Button, Collapse, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../../components/loaded.tsx';
import { thingsToDo } from '../../labels/bots.ts';
import { endSentence, plural } from '../../labels/format.ts';
import type { Bot, BotSetup as Setup } from '../../queries/records.ts';
import { botSetupQuery } from '../../queries/setup.ts';
import { InviteBot } from './invite-bot.tsx';
import { CheckList, IntentCheck, PublicKeyCheck, RedirectCheck } from './setup-checks.tsx';

type BotSetupProps = { bot: Bot; onEdit: () => void; onDelete: () => void };

/** How the application stands on the platform, and the link that invites its bot. */
export const BotSetup = ({ bot, onEdit, onDelete }: BotSetupProps) => {
  const setup = useQuery(botSetupQuery(bot.id));
  const [isInviting, { toggle }] = useDisclosure(false);
  return (
    <Box mt="md" pt="md" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
      <Loaded query={setup} height={60}>
        {(found) => (
          <Stack gap="md">
            <Checks
              setup={found}
              onCheck={() => setup.refetch()}
              isChecking={setup.isFetching}
              onEdit={onEdit}
            />
            <Group justify="space-between" gap="sm">
              <Text size="sm" c="dimmed">
                {found.state && `In ${plural(found.state.guilds, 'server')} on the platform.`}
              </Text>
              <Group gap="xs">
                <Button
                  variant="default"
                  size="xs"
                  onClick={toggle}
                  aria-expanded={isInviting}
                  aria-describedby={`bot-${bot.id}`}
                >
                  {isInviting ? 'Hide the invite' : 'Invite to a server'}
                </Button>
                <DeleteButton bot={bot} onDelete={onDelete} />
              </Group>
            </Group>
            <Collapse expanded={isInviting}>
              <InviteBot invites={found.invites} isMain />
            </Collapse>
          </Stack>
        )}
      </Loaded>
    </Box>
  );
};

type ChecksProps = {
  setup: Setup;
  onCheck: () => void;
  isChecking: boolean;
  onEdit: () => void;
};

/** At the end of its card, away from what is pressed often. */
export const DeleteButton = ({ bot, onDelete }: Pick<BotSetupProps, 'bot' | 'onDelete'>) => (
  <Button
    variant="subtle"
    color="red"
    size="xs"
    onClick={onDelete}
    aria-describedby={`bot-${bot.id}`}
  >
    Delete
  </Button>
);

/** What is done is said in a line; only what is left takes room. */
const Checks = ({ setup, onCheck, isChecking, onEdit }: ChecksProps) => {
  const { state, failure, portal, redirectUri, isPublicKeyGood } = setup;
  if (!state) {
    return (
      <Text size="sm" c="dimmed">
        How it is set up on the platform is not known now. {failure && endSentence(failure)}
      </Text>
    );
  }
  if (thingsToDo(setup) === 0) {
    return <Text size="sm">Redirect, intents and public key are set up on the platform.</Text>;
  }
  return (
    <CheckList label="On the platform">
      <RedirectCheck
        {...{ redirectUri, portal, onCheck, isChecking }}
        isSet={state.isRedirectSet}
      />
      <IntentCheck missing={state.intents.missing} portal={portal} />
      <PublicKeyCheck isGood={isPublicKeyGood} portal={portal} onEdit={onEdit} />
    </CheckList>
  );
};
