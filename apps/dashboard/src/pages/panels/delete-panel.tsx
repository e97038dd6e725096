import type { ButtonProps } from '@mantine/core';
import { useNavigate } from 'react-router';
import { api } from '../../api.ts';
import { ConfirmButton } from '../../components/confirm.tsx';
import { Name } from '../../components/display.tsx';
import type { Panel } from '../../queries/panels.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import { useChannelName } from './use-channels.ts';

type DeletePanelProps = { panel: Panel } & { label: string } & Pick<
    ButtonProps,
    'size' | 'variant'
  >;

/** Asks first; ends on the list of panels. */
export const DeletePanel = ({ panel, label, size, variant = 'outline' }: DeletePanelProps) => {
  const { id, serverId, channelId } = panel;
  const channelName = useChannelName(channelId);
  const navigate = useNavigate();
  return (
    <ConfirmButton
      button={{ variant, color: 'red', size, children: label }}
      title="Delete this panel?"
      label="Delete the panel"
      color="red"
      action={() => api.deletePanel({ params: { id: serverId, panelId: id } })}
      message="The panel is deleted; the bot removes its message."
      invalidates={[queryKeys.panels(serverId)]}
      onSuccess={() => navigate(`/servers/${serverId}/panels`)}
    >
      The message in <Name>{channelName}</Name> is removed with it. Newcomers can still verify
      through other panels and the verify link.
    </ConfirmButton>
  );
};
