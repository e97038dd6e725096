import { Fieldset, PasswordInput, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { CopyField } from '../../components/copy-field.tsx';
import type { Bind } from '../../components/form.tsx';
import {
  activityLabels,
  type BotValues,
  botStatusLabels,
  type CredentialField,
} from '../../labels/bots.ts';
import { choicesOf } from '../../labels/format.ts';
import { redirectUri } from '../../labels/verify-link.ts';

type CredentialFieldsProps = {
  bind: Bind<CredentialField>;
  /** Fields that are left empty keep their value. */
  isChange?: boolean;
};

/** The credentials of a bot, each with where the developer portal shows it. */
export const CredentialFields = ({ bind, isChange = false }: CredentialFieldsProps) => {
  const optional = { required: !isChange, placeholder: isChange ? 'Unchanged' : undefined };
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
      <TextInput
        label="Application ID"
        description="Developer portal, your application, General information."
        required
        inputMode="numeric"
        autoComplete="off"
        {...bind('clientId')}
      />
      <TextInput
        label="Public key"
        description="On the same page: 64 characters from 0 to 9 and a to f."
        {...optional}
        autoComplete="off"
        {...bind('publicKey')}
      />
      <PasswordInput
        label="Bot token"
        description="Bot, Reset token. The platform shows it once; Holdfast stores it encrypted and never shows it again."
        {...optional}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': 'Show the bot token' }}
        {...bind('botToken')}
      />
      <PasswordInput
        label="Client secret"
        description="OAuth2, Reset secret. Stored like the token."
        {...optional}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': 'Show the client secret' }}
        {...bind('clientSecret')}
      />
      <TextInput
        label="Redirect URI"
        description="Where the platform sends members back to. Leave it as it is unless you know why."
        {...optional}
        type="url"
        {...bind('redirectUri')}
      />
    </>
  );
};

/** The bot's appearance on the platform. */
export const PresenceFields = ({ bind }: { bind: Bind<keyof BotValues> }) => (
  <Fieldset legend="Presence">
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        Stored with the bot, but not used yet.
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

/** Nobody can verify until this address is registered on the platform. */
export const RedirectNote = () => (
  <Stack gap="xs">
    <CopyField label="Redirect to register" value={redirectUri()} />
    <Text size="sm" c="dimmed">
      In the developer portal, under OAuth2, add this address to the redirects of your application.
      Otherwise the platform refuses everybody who tries to verify.
    </Text>
  </Stack>
);
