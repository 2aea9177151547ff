@rem npm start uses exec of sh, so that signals to npm reach the server. In cmd.exe, this file takes its place.
@%*
