# The event is on stdin as JSON.
case $(cat) in
  *--force*) echo "Pushing with --force is not allowed."; exit 1 ;;
esac
