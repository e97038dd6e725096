import { PageHead } from '../../parts/page-head.tsx';

export const AddServer = () => <PageHead title="AddServer" />;
