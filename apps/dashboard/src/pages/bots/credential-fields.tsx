import { PasswordInput, TextInput } from '@mantine/core';
import type { Bind } from '../../parts/use-text-fields.ts';

export type CredentialField =
  | 'name'
  | 'clientId'
  | 'publicKey'
  | 'botToken'
  | 'clientSecret'
  | 'redirectUri';

type CredentialFieldsProps = {
  bind: Bind<CredentialField>;
  /** What is left empty stays as it is. */
  isChange?: boolean;
};

const unchanged = 'Unchanged';

/** All that a bot needs, each with where the platform's developer portal shows it. */
export const CredentialFields = ({ bind, isChange = false }: CredentialFieldsProps) => {
  const isRequired = !isChange;
  const placeholder = isChange ? unchanged : undefined;
  return (
    <>
      <TextInput
        label="Name"
        description="For you to tell your bots apart."
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
        required={isRequired}
        placeholder={placeholder}
        autoComplete="off"
        {...bind('publicKey')}
      />
      <SecretFields bind={bind} isChange={isChange} />
      <TextInput
        label="Redirect URI"
        description="Where the platform sends members back to. Leave it as it is unless you know why."
        required={isRequired}
        placeholder={placeholder}
        type="url"
        {...bind('redirectUri')}
      />
    </>
  );
};

const SecretFields = ({ bind, isChange = false }: CredentialFieldsProps) => (
  <>
    <PasswordInput
      label="Bot token"
      description="Bot, Reset token. The platform shows it once; Holdfast keeps it encrypted and never shows it again."
      required={!isChange}
      placeholder={isChange ? unchanged : undefined}
      autoComplete="off"
      visibilityToggleButtonProps={{ 'aria-label': 'Show the bot token' }}
      {...bind('botToken')}
    />
    <PasswordInput
      label="Client secret"
      description="OAuth2, Reset secret. Kept like the token."
      required={!isChange}
      placeholder={isChange ? unchanged : undefined}
      autoComplete="off"
      visibilityToggleButtonProps={{ 'aria-label': 'Show the client secret' }}
      {...bind('clientSecret')}
    />
  </>
);
