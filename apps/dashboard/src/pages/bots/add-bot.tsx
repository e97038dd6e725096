import type { Output } from '@holdfast/sdk/dashboard';
import { Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { Name, Picture } from '../../components/display.tsx';
import { ApiForm, useApiForm } from '../../components/form.tsx';
import { useAction } from '../../components/use-action.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { LookedUpBot } from '../../queries/records.ts';
import { setupQuery } from '../../queries/setup.ts';
import { CheckList, IntentCheck, PortalLink, RedirectCheck } from './setup-checks.tsx';

type AddBotProps = { onAdded: (bot: Output<'createBot'>) => void; onCancel?: () => void };

/** The token is all that is typed at first: the platform tells the rest. */
export const AddBot = ({ onAdded, onCancel }: AddBotProps) => {
  const [found, setFound] = useState<Found>();
  return found ? (
    <FoundBot found={found} onChecked={setFound} onAdded={onAdded} onCancel={onCancel} />
  ) : (
    <TokenForm onFound={setFound} onCancel={onCancel} />
  );
};

type Found = { botToken: string; bot: LookedUpBot };

const lookUp = async (botToken: string): Promise<Found> => ({
  botToken,
  bot: await api.lookUpBot({ body: { botToken } }),
});

type TokenFormProps = { onFound: (found: Found) => void; onCancel?: () => void };

const TokenForm = ({ onFound, onCancel }: TokenFormProps) => {
  const { data: setup } = useQuery(setupQuery);
  const form = useApiForm({ botToken: '' }, ({ botToken }) => lookUp(botToken.trim()), {
    onSuccess: onFound,
  });
  return (
    <ApiForm
      form={form}
      label="Find the bot"
      isReady={form.values.botToken.trim() !== ''}
      onCancel={onCancel}
      errorTitle="The bot was not found"
    >
      <Text>
        Holdfast works through a bot of your own, so that your members give their consent to you.
        {setup && (
          <>
            {' '}
            Create an application in the{' '}
            <PortalLink href={setup.portalUrl}>developer portal</PortalLink>, open its Bot page,
            press Reset Token, and paste the token here. The{' '}
            <PortalLink href="/guides/first-server">guide</PortalLink> shows every step.
          </>
        )}
      </Text>
      <PasswordInput
        label="Bot token"
        description="Its name, id, key and picture are read from the platform. Nothing is stored yet."
        required
        autoComplete="off"
        data-autofocus
        visibilityToggleButtonProps={{ 'aria-label': 'Show the bot token' }}
        {...form.getInputProps('botToken')}
      />
    </ApiForm>
  );
};

type FoundBotProps = AddBotProps & { found: Found; onChecked: (found: Found) => void };

const FoundBot = ({ found, onChecked, onAdded, onCancel }: FoundBotProps) => {
  const { bot, botToken } = found;
  const check = useAction(() => lookUp(botToken), { onSuccess: onChecked });
  const isReady = bot.state.isRedirectSet && bot.state.intents.missing.length === 0;
  // Whoever comes back from the portal has probably done what was missing.
  useWindowEvent('focus', () => {
    if (!isReady && !check.isPending) check.mutate();
  });
  const form = useApiForm({ clientSecret: '' }, (typed) => add(found, typed.clientSecret.trim()), {
    message: ({ name }) => `${name} was added`,
    invalidates: [queryKeys.bots, queryKeys.account],
    onSuccess: onAdded,
  });
  return (
    <ApiForm
      form={form}
      label="Add this bot"
      isReady={form.values.clientSecret.trim() !== ''}
      onCancel={onCancel}
      errorTitle="The bot was not added"
    >
      <Group gap="md" wrap="nowrap">
        <Picture src={bot.avatar} size={48} />
        <Stack gap={0} miw={0}>
          <Text fw={600}>
            <Name>{bot.name}</Name>
          </Text>
          <Text size="sm" c="dimmed">
            Found on the platform
          </Text>
        </Stack>
      </Group>
      <PasswordInput
        label="Client secret"
        description={
          <>
            On its <PortalLink href={bot.portal.oauth}>OAuth2 page</PortalLink> press Reset Secret
            and copy it. It is checked with the platform before the bot is added.
          </>
        }
        required
        autoComplete="off"
        data-autofocus
        visibilityToggleButtonProps={{ 'aria-label': 'Show the client secret' }}
        {...form.getInputProps('clientSecret')}
      />
      <CheckList label="On the platform">
        <RedirectCheck
          redirectUri={bot.redirectUri}
          portal={bot.portal}
          isSet={bot.state.isRedirectSet}
          onCheck={() => check.mutate()}
          isChecking={check.isPending}
        />
        <IntentCheck missing={bot.state.intents.missing} portal={bot.portal} />
      </CheckList>
    </ApiForm>
  );
};

/** The platform is asked about the secret first: a wrong one is said at its field. */
const add = async ({ bot, botToken }: Found, clientSecret: string) => {
  await api.lookUpBot({ body: { botToken, clientSecret } });
  const { clientId, publicKey, redirectUri } = bot;
  const name = bot.name.slice(0, 100);
  return api.createBot({
    body: { botToken, clientSecret, clientId, publicKey, redirectUri, name },
  });
};
