import { Fieldset, PasswordInput, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { Bind } from '../../components/form.tsx';
import {
  activityLabels,
  type BotValues,
  botStatusLabels,
  type CredentialField,
} from '../../labels/bots.ts';
import { choicesOf } from '../../labels/format.ts';

/** The credentials of a bot, each with where the developer portal shows it. What is left empty stays. */
export const CredentialFields = ({ bind }: { bind: Bind<CredentialField> }) => {
  const unchanged = { placeholder: 'Unchanged', autoComplete: 'off' };
  return (
    <>
      <TextInput
        label="Name"
        description="To tell your bots apart."
        required
        maxLength={100}
        data-autofocus
        {...bind('name')}
      />
      <PasswordInput
        label="Bot token"
        description="Bot, Reset token. The platform shows it once; Holdfast stores it encrypted and never shows it again."
        {...unchanged}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the bot token' }}
        {...bind('botToken')}
      />
      <PasswordInput
        label="Client secret"
        description="OAuth2, Reset secret. Checked with the platform, and stored like the token."
        {...unchanged}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the client secret' }}
        {...bind('clientSecret')}
      />
      <TextInput
        label="Public key"
        description="General information. It verifies the platform's reports of members who remove the application; without the right key those reports are refused, and you learn of it only when their consent is next used."
        {...unchanged}
        maxLength={256}
        {...bind('publicKey')}
      />
      <TextInput
        label="Redirect URI"
        description="Where the platform sends members back to. Leave it as it is unless you know why."
        {...unchanged}
        type="url"
        {...bind('redirectUri')}
      />
      <TextInput
        label="Application ID"
        description="Change it only to replace the whole application: members have to consent anew."
        required
        inputMode="numeric"
        autoComplete="off"
        {...bind('clientId')}
      />
    </>
  );
};

/** The bot's appearance on the platform. */
export const PresenceFields = ({ bind }: { bind: Bind<keyof BotValues> }) => (
  <Fieldset legend="Presence">
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        How the bot appears on the platform while it is connected.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Select
          label="Status"
          data={choicesOf(botStatusLabels)}
          allowDeselect={false}
          {...bind('status')}
        />
        <Select
          label="Activity"
          data={choicesOf(activityLabels)}
          allowDeselect={false}
          {...bind('activityType')}
        />
      </SimpleGrid>
      <TextInput label="Activity text" maxLength={128} {...bind('activityText')} />
    </Stack>
  </Fieldset>
);
